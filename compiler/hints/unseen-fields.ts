/**
 * Fields a query names and no event has. Where a catalog knows the data this is said while compiling; of a pipe it is known once all of it
 * has been read.
 */
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import { printString, type Span, suggestName } from '../../grammar/index.ts'

/** A field named where events are open; `made` are those that stages have made by then, which it may have been meant to be. */
export interface NamedField {
  readonly name: string
  readonly span: Span
  readonly made: readonly string[]
  /** It is a condition by itself, as a word is that is searched for. */
  readonly isCondition?: boolean
}

/** @param sampled  the events that were looked at; absent: all there are */
export function unseenField(
  { name, span, made, isCondition }: NamedField,
  known: Iterable<string>,
  sampled?: number,
): Diagnostic {
  const near = suggestName(name, [...known, ...made])
  const suggestion = near ?? (isCondition === true ? `has(_raw, ${printString(name)})` : null)
  const among = sampled === undefined ? 'no event' : `none of the first ${sampled.toLocaleString('en')} events`
  const message = `${among} has a field '${name}'`
  return { code: 'H906', message, span, ...(suggestion !== null && { suggestion }) }
}

export class UnseenFields {
  readonly #named: readonly NamedField[]
  /** Named, and not seen so far. */
  readonly #pending: Set<string>
  readonly #seen = new Set<string>()

  constructor(named: readonly NamedField[]) {
    this.#named = named
    this.#pending = new Set(named.map(({ name }) => name))
  }

  /** Once every field has been seen, nothing is looked at any more. */
  see(fields: ReadonlyMap<string, unknown>): void {
    if (this.#pending.size === 0) return
    for (const name of fields.keys()) {
      if (this.#seen.has(name)) continue
      this.#seen.add(name)
      this.#pending.delete(name)
      // `a` is read as the object its members `a.b` make, and `a.b` from an object kept whole.
      for (const wanted of this.#pending) {
        if (name.startsWith(`${wanted}.`) || wanted.startsWith(`${name}.`)) this.#pending.delete(wanted)
      }
    }
  }

  /** Nothing, when there was no event. */
  hints(): Diagnostic[] {
    if (this.#seen.size === 0) return []
    const first = new Map(this.#named.toReversed().map(field => [field.name, field]))
    return [...first.values()]
      .reverse()
      .flatMap(field => (this.#pending.has(field.name) ? unseenField(field, this.#seen) : []))
  }
}
