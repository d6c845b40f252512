/**
 * The columns of joined rows. A field of the right side goes by its own name; where the row on the left has a field of that name
 * already, by that name with `_right` after it. Which of the two is decided row by row, so that no answer depends on which rows happen
 * to share a block.
 */

import { COLLISION_SUFFIX } from '../../../grammar/ast.ts'
import type { Value } from '../../../storage/value.ts'
import { type Dictionary, MISSING, type Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { isNowhere, shownOf, vectorOf, withComputed } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { isMember, overlay, pathWithin } from '../../object-fields.ts'
import type { RightRows } from './right-rows.ts'

/** Fields of the right side by the name they go by in the output. */
export type RightNames = ReadonlyMap<string, string>

/**
 * @param left  rows of the left side, as many as the output has
 * @param rows  by row of `left`: the row of the right side, from 1; 0 for none
 */
export function joinedBatch(left: Batch, right: RightRows, rows: Uint32Array, names: RightNames): Batch {
  const known = new Set(left.names)
  const added: string[] = []
  const taken = new Map<string, string>()
  for (const [name, field] of names) {
    added.push(name)
    if (known.has(name) || !isNowhere(left.column(name))) taken.set(`${name}${COLLISION_SUFFIX}`, field)
  }
  for (const name of taken.keys()) if (!names.has(name)) added.push(name)
  const own = (name: string): Vector => {
    let vector = left.column(name)
    const field = names.get(name)
    if (field !== undefined) {
      const theirs = (): Vector => right.column(field).at(rows)
      vector = known.has(name) || isNowhere(vector) ? firstPresent(vector, theirs) : besideMembers(vector, theirs())
    }
    const pushed = taken.get(name)
    if (pushed === undefined) return vector
    const owner = left.column(name.slice(0, -COLLISION_SUFFIX.length))
    return firstPresent(onlyWhere(shownOf(right.column(pushed).at(rows)), owner), () => vector)
  }
  const dotted = added.filter(name => name.includes('.'))
  return withComputed(left, added, name => {
    // An object has what the other side adds to it.
    const members = dotted.filter(field => isMember(name, field))
    if (members.length === 0) return own(name)
    const set = members.map(field => ({ path: pathWithin(name, field), vector: own(field) }))
    return overlay(own(name), set, left.rowCount) ?? own(name)
  })
}

/** The first vector, and where it is missing the second. */
function firstPresent(first: Vector, second: () => Vector): Vector {
  if (isNowhere(first)) return second()
  if (isEverywhere(first)) return first
  const other = second()
  if (isNowhere(other)) return first
  const whole = eitherOf(first, first, other)
  const [shown, otherShown] = [shownOf(first), shownOf(other)]
  if (shown === first && otherShown === other) return vectorOf(whole)
  return { kind: 'any', rowCount: first.rowCount, values: whole, shown: vectorOf(eitherOf(first, shown, otherShown)) }
}

/** Of the one where `decides` has something, of the other elsewhere. */
function eitherOf(decides: Vector, one: Vector, other: Vector): Value[] {
  return Array.from({ length: decides.rowCount }, (_, row) => valueAt(isMissingAt(decides, row) ? other : one, row))
}

/** A row of the left side that has members of the field has the object they make; what a whole event shows of that are the members. */
function besideMembers(objects: Vector, theirs: Vector): Vector {
  const { rowCount } = objects
  const values: Value[] = new Array(rowCount)
  const shown: Value[] = new Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    const isTheirs = isMissingAt(objects, row)
    shown[row] = isTheirs ? valueAt(shownOf(theirs), row) : undefined
    values[row] = valueAt(isTheirs ? theirs : objects, row)
  }
  return { kind: 'any', rowCount, values, shown: vectorOf(shown) }
}

/** The vector where `owner` has a value or a null; missing elsewhere. */
function onlyWhere(vector: Vector, owner: Vector): Vector {
  if (isEverywhere(owner)) return vector
  return merged(vector.rowCount, row => (isMissingAt(owner, row) ? undefined : valueAt(vector, row)))
}

function merged(rowCount: number, valueIn: (row: number) => Value): Vector {
  const values: Value[] = new Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = valueIn(row)
  return vectorOf(values)
}

function isMissingAt(vector: Vector, row: number): boolean {
  return valueAt(vector, row) === undefined
}

const wholeDictionaries = new WeakMap<Dictionary, boolean>()

/** Is there a value or a null in every row? May say no when there is. */
function isEverywhere(vector: Vector): boolean {
  switch (vector.kind) {
    case 'const':
      return vector.value !== undefined
    case 'any':
      return !vector.values.includes(undefined)
    case 'dict': {
      let isWhole = wholeDictionaries.get(vector.dictionary)
      if (isWhole === undefined) {
        isWhole = !vector.dictionary.values.includes(undefined)
        wholeDictionaries.set(vector.dictionary, isWhole)
      }
      return isWhole
    }
    default:
      return vector.presence === null || !vector.presence.includes(MISSING)
  }
}
