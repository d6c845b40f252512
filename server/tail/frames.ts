/**
 * Results as server-sent events, for many tails at once: tails of one filter are sent the same bytes, so these are made once and each tail's
 * share of the work is a write a batch. 1,000 tails took 5.1 µs of processor time a result when each wrote its own.
 */
import type { LiveRow } from '../../runtime/live.ts'
import { eventText } from '../sse.ts'

export interface Frame {
  readonly bytes: Buffer
  /** Results in it. */
  readonly count: number
}

/** A slow client is found out between two frames. */
const FRAME_CHARACTERS = 32 * 1024

/** By the array that all tails of a filter are handed. */
const made = new WeakMap<readonly LiveRow[], readonly Frame[]>()

export function framesOf(rows: readonly LiveRow[]): readonly Frame[] {
  let frames = made.get(rows)
  if (frames === undefined) {
    frames = makeFrames(rows)
    made.set(rows, frames)
  }
  return frames
}

function makeFrames(rows: readonly LiveRow[]): Frame[] {
  const frames: Frame[] = []
  let text = ''
  let count = 0
  const finish = (): void => {
    if (count > 0) frames.push({ bytes: Buffer.from(text), count })
    text = ''
    count = 0
  }
  for (const row of rows) {
    text += eventText('result', row.text, String(row.sequence))
    count++
    if (text.length >= FRAME_CHARACTERS) finish()
  }
  finish()
  return frames
}
