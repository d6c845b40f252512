/**
 * From the top down: signatures of one shape are taken apart at words until what is left differs only where something varies.
 *
 * A column of the group is a word of the message if it takes few values, or if other columns go with it (`data storage interrupt`,
 * `data TLB error`); it varies if it takes many values on its own, or if something masked stands in it. Everything is decided by what
 * the group holds, never by the order it came in.
 */
import { type Cell, DELIMITER, MASKED, PURE, TEXT, type Vocabulary } from './cells.ts'

/** A template in the making: cells, and the signatures it stands for. */
export interface Draft {
  readonly cells: readonly Cell[]
  readonly members: readonly number[]
  /** Lines. */
  readonly count: number
}

/** So many values a word of a message may take: states, levels, directions. */
export const FEW_VALUES = 4
/** Up to so many values other columns that go with them show that they are words. */
const LINKED_VALUES = 20
/** Of the variety of the others, this share must be explained. */
const LINKED_SHARE = 0.8
/** Lines per signature from which repetition shows that values come again. */
const REPEATED_LINES = 1.5
/** Below this share of words that stay, a group holds more than one message. */
const COMMON_SHARE = 0.5

/** How many values show that a position varies, when so many words around it stay the same. */
export function manyValues(wordsAround: number): number {
  if (wordsAround === 0) return Number.POSITIVE_INFINITY
  return wordsAround === 1 ? 4 * FEW_VALUES : wordsAround === 2 ? 2 * FEW_VALUES : FEW_VALUES
}

interface Column {
  readonly at: number
  readonly values: number
  /** It holds something masked: it varies, and says nothing of what the message is. */
  readonly isFree: boolean
}

export function split(group: readonly Draft[], words: Vocabulary, into: Draft[]): void {
  const first = group[0]!
  if (group.length === 1) {
    into.push(first)
    return
  }
  const varying: Column[] = []
  let constants = 0
  let positions = 0
  for (let at = 0; at < first.cells.length; at++) {
    const cell = first.cells[at]!
    if (words.is(cell, DELIMITER)) continue
    const column = columnAt(group, at, words)
    if (column.values > 1) {
      varying.push(column)
      positions++
    } else if (words.is(cell, TEXT)) {
      constants++
      positions++
    }
  }
  const worded = varying.filter(column => !column.isFree)
  const fewest = least(worded.length > 0 ? worded : varying)
  if (fewest !== null && staysApart(group, worded, fewest, constants, positions)) {
    for (const part of partsBy(group, fewest.at)) split(part, words, into)
  } else into.push(joinDrafts(group, words))
}

function staysApart(
  group: readonly Draft[],
  worded: readonly Column[],
  fewest: Column,
  constants: number,
  positions: number,
): boolean {
  if (worded.length === 0) return constants === 0
  if (fewest.values <= FEW_VALUES) return true
  if (worded.length === 1) return fewest.values <= manyValues(constants)
  if (fewest.values <= LINKED_VALUES && isRepeated(group) && explains(group, fewest, worded)) return true
  return constants < positions * COMMON_SHARE
}

function columnAt(group: readonly Draft[], at: number, words: Vocabulary): Column {
  const values = new Set<number>()
  for (const draft of group) values.add(draft.cells[at]!.token)
  let hasPure = false
  let isAllMasked = true
  for (const token of values) {
    const flags = words.flagsOf(token)
    if ((flags & PURE) !== 0) hasPure = true
    if ((flags & MASKED) === 0) isAllMasked = false
  }
  return { at, values: values.size, isFree: hasPure || isAllMasked }
}

function least(columns: readonly Column[]): Column | null {
  let found: Column | null = null
  for (const column of columns) if (found === null || column.values < found.values) found = column
  return found
}

function isRepeated(group: readonly Draft[]): boolean {
  let lines = 0
  for (const draft of group) lines += draft.count
  return lines >= group.length * REPEATED_LINES
}

/** Do the other columns mostly keep to one value where `column` does? */
function explains(group: readonly Draft[], column: Column, worded: readonly Column[]): boolean {
  const parts = partsBy(group, column.at)
  let share = 0
  for (const other of worded) {
    if (other === column) continue
    let more = 0
    for (const part of parts) more += new Set(part.map(draft => draft.cells[other.at]!.token)).size - 1
    share += 1 - more / Math.max(1, other.values - 1)
  }
  return share >= LINKED_SHARE * (worded.length - 1)
}

function partsBy(group: readonly Draft[], at: number): Draft[][] {
  const parts = new Map<number, Draft[]>()
  for (const draft of group) {
    const { token } = draft.cells[at]!
    const part = parts.get(token)
    if (part === undefined) parts.set(token, [draft])
    else part.push(draft)
  }
  return [...parts.values()]
}

/** One draft for several of the same shape. */
export function joinDrafts(group: readonly Draft[], words: Vocabulary): Draft {
  return {
    cells: group[0]!.cells.map((_, at) => words.join(group.map(draft => draft.cells[at]!))),
    members: group.flatMap(draft => draft.members),
    count: group.reduce((lines, draft) => lines + draft.count, 0),
  }
}
