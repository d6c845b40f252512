/** keep, drop and rename: the names of a batch change, its columns do not move. */

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
        const column = from.column(name)
        return kept.some(field => isMember(name, field)) ? column : wholeOf(column)
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
  readonly #fromByTo: ReadonlyMap<string, string>
  readonly #toByFrom: ReadonlyMap<string, string>
  constructor(pairs: readonly { readonly from: string; readonly to: string }[], next: Operator) {
    super(next)
    this.#fromByTo = new Map(pairs.map(pair => [pair.to, pair.from]))
    this.#toByFrom = new Map(pairs.map(pair => [pair.from, pair.to]))
  }

  protected transform(batch: Batch): Batch {
    const targets = new Set(this.#fromByTo.keys())
    const names: string[] = []
    for (const name of batch.names) {
      const to = this.#toByFrom.get(name)
      if (to !== undefined) names.push(to)
      else if (!targets.has(name)) names.push(name)
    }
    // A member of an object becomes a field of its own; so does the index, which stands beside the fields.
    for (const [from, to] of this.#toByFrom) {
      if (!names.includes(to) && (from === 'index' || batch.names.some(name => isMember(name, from)))) names.push(to)
    }
    return withColumns(batch, names, from => name => {
      const source = this.#fromByTo.get(name)
      if (source !== undefined) return from.column(source)
      if (this.#toByFrom.has(name)) return null
      const moved = [...this.#toByFrom.keys()].filter(field => isMember(name, field))
      const base = from.column(name)
      const left = moved.length === 0 ? base : strip(base, path => this.#toByFrom.has(`${name}.${path}`))
      const added = [...this.#fromByTo].filter(([to]) => isMember(name, to))
      if (added.length === 0) return left
      const members = added.map(([to, renamed]) => ({ path: pathWithin(name, to), vector: from.column(renamed) }))
      return overlay(left, members, from.rowCount)
    })
  }
}
