/** keep, drop and rename: the names of a batch change, its columns do not move. */
import { newNameBy, oldNameBy, type RenamePair } from '../../grammar/renamed.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { wholeOf, withColumns } from '../column-batch.ts'
import { globMatches, parseGlob } from '../helpers/glob.ts'
import { isMember, type MemberColumn, overlay, pathWithin, strip } from '../object-fields.ts'
import type { KeepSpec } from '../program.ts'
import type { Operator } from './operator.ts'

/** Does a field belong to a name or `*` pattern? A plain name takes its members along: `drop a` drops `a.b`. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter(pattern => !pattern.includes('*')))
  const prefixes = [...exact].map(name => `${name}.`)
  const globs = patterns.filter(pattern => pattern.includes('*')).map(parseGlob)
  return name =>
    exact.has(name) || prefixes.some(prefix => name.startsWith(prefix)) || globs.some(glob => globMatches(glob, name))
}

function memberColumns(batch: Batch, object: string, fields: readonly string[]): MemberColumn[] {
  return fields.map(field => ({ path: pathWithin(object, field), vector: batch.column(field) }))
}

abstract class NamesOperator implements Operator {
  readonly #next: Operator
  constructor(next: Operator) {
    this.#next = next
  }
  get isDone(): boolean {
    return this.#next.isDone
  }
  push(batch: Batch): void {
    this.#next.push(this.transform(batch))
  }
  finish(): void {
    this.#next.finish()
  }
  protected abstract transform(batch: Batch): Batch
}

export class KeepOperator extends NamesOperator {
  readonly #spec: KeepSpec
  constructor(spec: KeepSpec, next: Operator) {
    super(next)
    this.#spec = spec
  }

  /** In the order asked for; names the batch does not have stay: they are columns of missing, as asked. */
  protected transform(batch: Batch): Batch {
    const isExcept = matcher(this.#spec.except)
    const names = new Set<string>()
    for (const field of this.#spec.fields) {
      if (!field.includes('*')) {
        names.add(field)
        continue
      }
      const isMatch = matcher([field])
      for (const name of batch.names) if (isMatch(name)) names.add(name)
    }
    const kept = [...names].filter(name => !isExcept(name))
    const isKept = new Set(kept)
    return withColumns(batch, kept, from => name => {
      if (isKept.has(name)) {
        const touched = this.#spec.except.length > 0
        if (touched) return strip(from.column(name), path => isExcept(`${name}.${path}`))
        // A name is asked for as it reads; what a pattern matches goes on beside the members that it matches too.
        const column = from.column(name)
        return this.#spec.fields.includes(name) ? wholeOf(column) : column
      }
      // `keep a.b` leaves an object `a` with that one member; `keep a` leaves its members to be read.
      const members = kept.filter(field => isMember(name, field))
      if (members.length > 0) return overlay(null, memberColumns(from, name, members), from.rowCount)
      const outer = kept.find(field => isMember(field, name))
      return outer === undefined ? null : from.column(name)
    })
  }
}

export class DropOperator extends NamesOperator {
  readonly #fields: readonly string[]
  readonly #isDropped: (name: string) => boolean
  constructor(fields: readonly string[], next: Operator) {
    super(next)
    this.#fields = fields
    this.#isDropped = matcher(fields)
  }

  /** May a dropped field be a member of the object at `name`? */
  #touchesMembers(name: string): boolean {
    return this.#fields.some(field => isMember(name, field) || (field.includes('*') && field.includes('.')))
  }

  protected transform(batch: Batch): Batch {
    const names = batch.names.filter(name => !this.#isDropped(name))
    return withColumns(batch, names, from => name => {
      if (this.#isDropped(name)) return null
      const column = from.column(name)
      return this.#touchesMembers(name) ? strip(column, path => this.#isDropped(`${name}.${path}`)) : column
    })
  }
}

export class RenameOperator extends NamesOperator {
  readonly #pairs: readonly RenamePair[]
  readonly #newName: (path: string) => string | null
  readonly #oldName: (path: string) => string
  constructor(pairs: readonly RenamePair[], next: Operator) {
    super(next)
    this.#pairs = pairs
    this.#newName = newNameBy(pairs)
    this.#oldName = oldNameBy(pairs)
  }

  protected transform(batch: Batch): Batch {
    const names = new Set<string>()
    for (const name of batch.names) {
      const to = this.#newName(name)
      if (to !== null) names.add(to)
    }
    // A member of an object becomes a field of its own; so does the index, which stands beside the fields.
    for (const { from, to } of this.#pairs) {
      if (from === 'index' || batch.names.some(name => isMember(name, from))) names.add(to)
    }
    return withColumns(batch, [...names], from => name => this.#column(from, name))
  }

  #column(batch: Batch, name: string): Vector | null {
    const old = this.#oldName(name)
    const base = this.#newName(old) === name ? batch.column(old) : null
    const isCut = this.#pairs.some(({ from, to }) => isMember(old, from) || isMember(name, to))
    const left =
      !isCut || base === null ? base : strip(base, path => this.#newName(`${old}.${path}`) !== `${name}.${path}`)
    const added = this.#pairs.filter(({ to }) => isMember(name, to))
    if (added.length === 0) return left
    const members = added.map(({ to }) => ({ path: pathWithin(name, to), vector: this.#column(batch, to)! }))
    return overlay(left, members, batch.rowCount)
  }
}
