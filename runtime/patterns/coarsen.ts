/**
 * Coarser signatures, for text whose words never come back. A coarser signature is a function of the finer one alone, and coarsening
 * further is coarsening at once: whichever lines came first, the same level is reached and the same signatures are left.
 */
import { BLANK, REPEATED, VARIABLE } from './bytes.ts'
import { WORDS } from './kinds.ts'
import type { MaskedLine } from './mask.ts'

/**
 * Words kept by level; level 0 is the signature itself, from level 1 on a word with something masked is nothing but that. On the last
 * level all signatures are one, so a table never holds more than it may.
 */
const WORDS_KEPT: readonly number[] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 8, 3, 1, 0]
export const COARSEST: number = WORDS_KEPT.length - 1

/** Makes the signature in `line` coarser where it stands. */
export function coarsen(line: MaskedLine, level: number): void {
  if (level === 0) return
  const { signature, slots } = line
  let read = 0
  let write = 0
  let slotsRead = 0
  let slotsWritten = 0
  for (let words = 0; read < line.length; words++) {
    if (words === WORDS_KEPT[level]) {
      signature[write++] = REPEATED
      break
    }
    const start = write
    let masked = 0
    for (; read < line.length && signature[read] !== BLANK; read++) {
      if (signature[read] === VARIABLE) masked++
      signature[write++] = signature[read]!
    }
    if (masked > 0) {
      const isAlone = write === start + 1
      slots[slotsWritten++] = isAlone ? slots[slotsRead]! : WORDS
      slotsRead += masked
      signature[start] = VARIABLE
      write = start + 1
    }
    if (read < line.length) signature[write++] = signature[read++]!
  }
  signature.fill(0, write, write + 3)
  line.length = write
  line.slotCount = slotsWritten
}
