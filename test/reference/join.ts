/** `join` and `lookup`: every row against every row of the other side. */
import type { AstJoinKey, JoinType } from '../../grammar/ast.ts'
import { keyOf } from '../../runtime/helpers/compare.ts'
import type { Value } from '../../storage/value.ts'
import { copyOf, isAbsent, type Row, readField, setField } from './row.ts'

export interface JoinSide {
  readonly rows: Row[]
  readonly columns: string[] | null
}

export interface JoinStage {
  readonly type: JoinType
  readonly on: readonly AstJoinKey[]
  readonly as: string | null
}

/** In the order of the left side, the matches of a row in the order of the right; what only the right side has comes last. */
export function join(left: JoinSide, right: JoinSide, stage: JoinStage): JoinSide {
  const leftIds = left.rows.map(row =>
    idOf(
      row,
      stage.on.map(key => key.left.name),
    ),
  )
  const rightIds = right.rows.map(row =>
    idOf(
      row,
      stage.on.map(key => key.right.name),
    ),
  )
  const isMatched = (id: string | null): boolean => id !== null && rightIds.includes(id)
  if (stage.type === 'semi') return { ...left, rows: left.rows.filter((_, i) => isMatched(leftIds[i]!)) }
  if (stage.type === 'anti') return { ...left, rows: left.rows.filter((_, i) => !isMatched(leftIds[i]!)) }
  const rows = left.rows.flatMap((row, i) => {
    const id = leftIds[i]
    const matches = right.rows.filter((_, j) => id !== null && rightIds[j] === id)
    if (matches.length === 0) return stage.type === 'inner' ? [] : [row]
    return matches.map(other => joined(row, other, stage))
  })
  if (stage.type === 'outer') {
    right.rows.forEach((row, j) => {
      const id = rightIds[j]
      if (id === null || !leftIds.includes(id!)) rows.push(alone(row, stage))
    })
  }
  return { rows, columns: columnsOf(left.columns, right.columns, stage) }
}

/** Null and missing match nothing. */
function idOf(row: Row, names: readonly string[]): string | null {
  const values = names.map(name => readField(row, name))
  return values.some(isAbsent) ? null : JSON.stringify(values.map(keyOf))
}

function isShared(name: string, on: readonly AstJoinKey[]): boolean {
  return on.some(
    ({ left, right }) => left.name === right.name && (name === left.name || name.startsWith(`${left.name}.`)),
  )
}

const nameOf = (name: string, { as }: JoinStage): string => (as === null ? name : `${as}.${name}`)

/** A field that the left row has keeps its name; the right one's goes by that name and `_right`. */
function joined(left: Row, right: Row, stage: JoinStage): Row {
  const result = copyOf(left)
  const pushed: (readonly [string, Value])[] = []
  for (const [field, value] of right.fields) {
    if (isShared(field, stage.on) || value === undefined) continue
    const name = nameOf(field, stage)
    if (readField(left, name) === undefined) setField(result, name, value)
    else pushed.push([`${name}_right`, value])
  }
  for (const [name, value] of pushed) setField(result, name, value)
  return result
}

/** A row that only the right side has: its keys are there, and its fields. */
function alone(right: Row, stage: JoinStage): Row {
  const fields = new Map<string, Value>()
  for (const [field, value] of right.fields) if (!isShared(field, stage.on)) fields.set(nameOf(field, stage), value)
  for (const { left, right: other } of stage.on) {
    const value = readField(right, other.name)
    if (left.name === other.name && value !== undefined) fields.set(left.name, value)
  }
  return { fields, index: undefined }
}

function columnsOf(left: string[] | null, right: string[] | null, stage: JoinStage): string[] | null {
  if (left === null || right === null) return null
  const added = right.filter(name => !isShared(name, stage.on)).map(name => nameOf(name, stage))
  const pushed = added.filter(name => left.includes(name)).map(name => `${name}_right`)
  return [...new Set([...left, ...added, ...pushed])]
}
