/** Where what an extractor finds goes: `into` chooses and converts, `prefix` renames, and what nobody reads goes nowhere. */
import type { Value } from '../../storage/value.ts'
import { CASTS } from '../formats/casts.ts'
import type { ParseSpec } from '../program.ts'

export interface Target {
  /** Of the column. */
  readonly name: string
  readonly cast: ((value: Value) => Value) | null
}

/** A target of a format with known fields, and the place of the field there. */
export interface PlacedTarget extends Target {
  readonly index: number
}

export class ParseTargets {
  /** For formats with known fields; null for others. */
  readonly placed: readonly PlacedTarget[] | null
  /** Columns there are whatever the texts hold, so that the order of fields does not depend on where a part ends. */
  readonly known: readonly string[]
  /** Does somebody read why a text failed? */
  readonly tellsErrors: boolean
  /** Columns that are null where a text failed. */
  readonly nulls: readonly string[]
  readonly #spec: ParseSpec
  readonly #demanded: ReadonlySet<string> | null
  readonly #byName = new Map<string, Target | null>()

  constructor(spec: ParseSpec, names: readonly string[] | null) {
    this.#spec = spec
    this.#demanded = spec.demanded === null ? null : new Set(spec.demanded)
    this.placed =
      names?.flatMap((name, index) => {
        const target = this.of(name)
        return target === null ? [] : [{ ...target, index }]
      }) ?? null
    const outputs = spec.outputs?.map(output => output.name) ?? names ?? []
    this.known = [...new Set(outputs.flatMap(name => this.of(name)?.name ?? []))]
    this.tellsErrors = spec.onError === 'propagate' && (this.#reads('_error') || this.#reads('_error_detail'))
    this.nulls = spec.onError === 'null' ? this.known : []
  }

  /** Null: nobody wants the field. */
  of(name: string): Target | null {
    let target = this.#byName.get(name)
    if (target === undefined) {
      target = this.#find(name)
      this.#byName.set(name, target)
    }
    return target
  }

  #find(name: string): Target | null {
    const { outputs, prefix } = this.#spec
    const output = outputs === null ? { cast: null } : outputs.find(each => each.name === name)
    if (output === undefined || !this.#reads(prefix + name)) return null
    return { name: prefix + name, cast: output.cast === null ? null : CASTS[output.cast] }
  }

  /** By name, as a member of an object that is read, or as the object of a member that is. */
  #reads(name: string): boolean {
    if (this.#demanded === null || this.#demanded.has(name)) return true
    for (const field of this.#demanded) if (name.startsWith(`${field}.`) || field.startsWith(`${name}.`)) return true
    return false
  }
}
