/**
 * Columns that other columns of the block say, in whole or in part: `_raw` that is JSON of its fields, the text of the event's own time,
 * messages that repeat what fields hold. Reading one must end, so what a woven text refers to is never woven itself: see `read.ts`.
 */
import type { Value } from '../value.ts'
import type { TextVector, TimeVector, Vector } from '../vector.ts'
import type { ByteSink } from './bytes.ts'
import type { BlockColumns, KnownRaw } from './columns.ts'
import { hexDigitsOf } from './encodings/hex.ts'
import { REBUILT, TIME_TEXT, WOVEN } from './encodings/index.ts'
import { sparseRows } from './encodings/sparse.ts'
import { encodeTimeText, timeFormOf } from './encodings/time-text.ts'
import { type Others, rebuild, rebuildRest } from './rebuilt/prove.ts'
import { encodeRebuilt } from './rebuilt/rebuilt.ts'
import { textVectorOf } from './shape.ts'
import type { TokenSet } from './token-filter.ts'
import { encodeWoven, weave } from './woven/woven.ts'

/** Text of fewer bytes a row is hardly made of several words. */
const WOVEN_BYTES_MIN = 12

/** Whether the column waits until it is known which others it may refer to. */
export function mayBeWoven(vector: Vector): vector is TextVector {
  if (vector.kind !== 'text') return false
  const bytes = vector.offsets[vector.rowCount]! - vector.offsets[0]!
  return bytes >= WOVEN_BYTES_MIN * vector.rowCount && sparseRows(vector) === null && hexDigitsOf(vector) === null
}

/**
 * A dictionary column that says the event's own time in every row, as the text it is; null for every other. Its values would be kept
 * for nothing: each of them can be made from `_time`.
 */
export function textOfTimes(vector: Vector, block: BlockColumns): TextVector | null {
  const times = timesOf(block)
  if (vector.kind !== 'dict' || times === null || vector.rowCount === 0) return null
  // The first value says no to nearly every column.
  if (!isDated(vector.dictionary.values[vector.codes[0]!])) return null
  const used = vector.dictionary.values.map(value => (isDated(value) || value == null ? value : undefined))
  const texts: (string | null | undefined)[] = new Array(vector.rowCount)
  for (let row = 0; row < vector.rowCount; row++) {
    const code = vector.codes[row]!
    const value = vector.dictionary.values[code]
    if (value !== used[code]) return null
    texts[row] = used[code] as string | null | undefined
  }
  const text = textVectorOf(texts)
  return timeFormOf(text, times) === null ? null : text
}

const isDated = (value: Value): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)$/.test(value)

export function encodeTimeOfEvent(sink: ByteSink, vector: Vector, block: BlockColumns): number | null {
  if (vector.kind !== 'text') return null
  const form = timeFormOf(vector, timesOf(block))
  if (form === null) return null
  encodeTimeText(sink, vector, form)
  return TIME_TEXT
}

export function timesOf({ columns }: BlockColumns): TimeVector | null {
  const times = columns.get('_time')
  return times?.kind === 'time' ? times : null
}

/** `_raw` as templates over other columns, if it is that. @param tokens  see `rebuild` */
export function encodeRaw(sink: ByteSink, text: TextVector, others: Others, tokens: TokenSet | null): number | null {
  const rebuilt = rebuild(text, others, tokens)
  if (rebuilt === null) return null
  encodeRebuilt(sink, text, rebuilt)
  return REBUILT
}

/** The same where most of the text is known to be that. */
export function encodeKnownRaw(sink: ByteSink, known: KnownRaw, others: Others, tokens: TokenSet | null): number {
  encodeRebuilt(sink, known.rest, rebuildRest(known, others, tokens))
  return REBUILT
}

/**
 * `text` with what other columns say of it; null when it is stored as text.
 * @param others  columns that are not woven
 */
export function encodeWeave(sink: ByteSink, text: TextVector, others: ReadonlyMap<string, Vector>): number | null {
  const woven = weave(text, others)
  if (woven === null) return null
  encodeWoven(sink, woven)
  return WOVEN
}
