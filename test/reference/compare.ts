/** `compare`: rows beside those of an earlier period that have the same keys. */
import type { AstExpr, AstStage } from '../../grammar/ast.ts'
import { keyColumn, NO_SPAN } from '../../grammar/index.ts'
import { keyOf } from '../../runtime/helpers/compare.ts'
import type { Evaluate } from './interpreter.ts'
import { copyOf, type Row, readField } from './row.ts'

interface Side {
  readonly rows: Row[]
  readonly columns: string[] | null
}

export interface Comparison {
  readonly keys: readonly string[]
  /** What only the earlier period has is there too. */
  readonly isOuter: boolean
  readonly evaluate: Evaluate
}

/** What the keys of the stats that comes first are called behind the others. */
export function keysOfGroups(stages: readonly AstStage[]): readonly string[] {
  let keys: readonly string[] = []
  for (const stage of stages) {
    if (stage.kind === 'stats') keys = stage.by.map(keyColumn)
    if (stage.kind === 'rename') {
      keys = keys.map(name => stage.pairs.find(pair => pair.from.name === name)?.to ?? name)
    }
  }
  return keys
}

export function compared(now: Side, before: Side, { keys, isOuter, evaluate }: Comparison): Side {
  const idOf = (row: Row): string => JSON.stringify(keys.map(name => keyOf(readField(row, name) ?? null)))
  const columns = (now.columns ?? []).flatMap(name =>
    keys.includes(name) ? [name] : [name, `${name}_previous`, `${name}_change`, `${name}_change_pct`],
  )
  const values = (now.columns ?? []).filter(name => !keys.includes(name))
  const earlier = new Map(before.rows.map(row => [idOf(row), row]))
  const beside = (row: Row, other: Row | undefined): Row => {
    const result = copyOf(row)
    for (const name of values) {
      const value = other === undefined ? undefined : readField(other, name)
      result.fields.set(name, readField(row, name) ?? null)
      result.fields.set(`${name}_previous`, value ?? null)
    }
    for (const name of values) {
      const difference = binary('-', name, `${name}_previous`)
      result.fields.set(`${name}_change`, evaluate(difference, result) ?? null)
      const share = binary('/', `${name}_change`, `${name}_previous`)
      const percent: AstExpr = { kind: 'binary', span: NO_SPAN, operator: '*', left: share, right: HUNDRED }
      result.fields.set(`${name}_change_pct`, evaluate(percent, result) ?? null)
    }
    return result
  }
  const rows = now.rows.map(row => beside(row, earlier.get(idOf(row))))
  if (isOuter) {
    const known = new Set(now.rows.map(idOf))
    for (const row of before.rows) {
      if (known.has(idOf(row))) continue
      const alone: Row = { fields: new Map(keys.map(name => [name, readField(row, name)])), index: undefined }
      rows.push(beside(alone, row))
    }
  }
  return { rows, columns }
}

const HUNDRED: AstExpr = { kind: 'literal', span: NO_SPAN, value: { type: 'int', value: 100n } }

function binary(operator: '-' | '/', left: string, right: string): AstExpr {
  const field = (name: string): AstExpr => ({ kind: 'field', span: NO_SPAN, name })
  return { kind: 'binary', span: NO_SPAN, operator, left: field(left), right: field(right) }
}
