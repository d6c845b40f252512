/** Stretches of texts as texts of their own. */
import { MISSING, NULL, PRESENT, type TextVector } from '../../storage/vector.ts'

/** In place of where a stretch starts: there is none; it is null. */
export const ABSENT = -1
export const NULLED = -2

/** By row, from where to where in bytes of the row's text. */
export function cutTexts(source: TextVector, starts: Int32Array, ends: Int32Array): TextVector {
  const { rowCount, offsets: sourceOffsets, bytes: sourceBytes } = source
  const offsets = new Uint32Array(rowCount + 1)
  let length = 0
  for (let row = 0; row < rowCount; row++) {
    if (starts[row]! >= 0) length += ends[row]! - starts[row]!
    offsets[row + 1] = length
  }
  const bytes = new Uint8Array(length)
  let to = 0
  for (let row = 0; row < rowCount; row++) {
    const start = starts[row]!
    if (start < 0) continue
    const end = sourceOffsets[row]! + ends[row]!
    for (let from = sourceOffsets[row]! + start; from < end; from++) bytes[to++] = sourceBytes[from]!
  }
  return { kind: 'text', rowCount, bytes, offsets, presence: presenceOfStretches(starts) }
}

/** Null: all are there. */
export function presenceOfStretches(starts: Int32Array): Uint8Array | null {
  const presence = new Uint8Array(starts.length)
  let absent = 0
  for (let row = 0; row < starts.length; row++) {
    const start = starts[row]!
    if (start < 0) absent++
    presence[row] = start >= 0 ? PRESENT : start === NULLED ? NULL : MISSING
  }
  return absent === 0 ? null : presence
}
