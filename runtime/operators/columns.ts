/** keep, drop and rename: the names of a batch change, its columns do not move. */

import type { Batch } from '../batch.ts'
import { withColumns } from '../column-batch.ts'
import { globMatches, parseGlob } from '../helpers/glob.ts'
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
    return withColumns(batch, kept, name => (names.has(name) && !isExcept(name) ? batch.column(name) : null))
  }
}

export class DropOperator extends NamesOperator {
  readonly #isDropped: (name: string) => boolean
  constructor(fields: readonly string[], next: Operator) {
    super(next)
    this.#isDropped = matcher(fields)
  }

  protected transform(batch: Batch): Batch {
    const names = batch.names.filter(name => !this.#isDropped(name))
    return withColumns(batch, names, name => (this.#isDropped(name) ? null : batch.column(name)))
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
    return withColumns(batch, names, name => {
      const from = this.#fromByTo.get(name)
      if (from !== undefined) return batch.column(from)
      return this.#toByFrom.has(name) ? null : batch.column(name)
    })
  }
}
