/** Passes and rules are values with names: run by one loop, recorded for explain, left out one by one by the tests. */
import type { DateTime, Value } from '../storage/value.ts'
import type { Catalog } from './catalog.ts'
import type { Expr } from './logical/expr.ts'
import type { LogicalOp } from './logical/ops.ts'

export interface PassContext {
  now(): DateTime
  /** The value of an expression that reads no field, by running its generated code; undefined when it cannot be known. */
  evaluate(expr: Expr): { readonly value: Value } | null
  readonly catalog: Catalog
  /** What a rule found out, in words, for `explain --passes`. */
  note(text: string): void
}

/** A logical rewrite. Returns null when it does not apply: "unchanged" is never guessed by comparing text. */
export interface Rule {
  readonly name: string
  readonly summary: string
  apply(plan: LogicalOp, cx: PassContext): LogicalOp | null
}

/** What is different between two printed plans, however deep its lines now stand: `- old` and `+ new`, in the order of the plans. */
export function changedLines(before: string, after: string): readonly string[] {
  const old = before.split('\n').map(line => line.trim())
  const now = after.split('\n').map(line => line.trim())
  const isCommon = commonLines(old, now)
  const gone = old.filter((_, index) => !isCommon.old.has(index)).map(line => `- ${line}`)
  const made = now.filter((_, index) => !isCommon.now.has(index)).map(line => `+ ${line}`)
  return [...gone, ...made]
}

/** The longest common subsequence, by the table everyone learns: plans are short. */
function commonLines(old: readonly string[], now: readonly string[]): { old: Set<number>; now: Set<number> } {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === now[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const common = { old: new Set<number>(), now: new Set<number>() }
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      common.old.add(i++)
      common.now.add(j++)
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return common
}
