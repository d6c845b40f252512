/** Presence per row, as few bits as it needs: none when every row is present, one when two states occur, else two. */
import { MISSING, NULL, PRESENT } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'

const ALL_PRESENT = 0
const MISSING_OR_PRESENT = 1
const NULL_OR_PRESENT = 2
const ANY_STATE = 3

export function writePresence(sink: ByteSink, presence: Uint8Array | null): void {
  let seen = 0
  if (presence !== null) for (let row = 0; row < presence.length; row++) seen |= 1 << presence[row]!
  const absent = seen & ((1 << MISSING) | (1 << NULL))
  if (presence === null || absent === 0) sink.u8(ALL_PRESENT)
  else if (absent === 1 << MISSING) writeBits(sink, MISSING_OR_PRESENT, presence)
  else if (absent === 1 << NULL) writeBits(sink, NULL_OR_PRESENT, presence)
  else {
    sink.u8(ANY_STATE)
    const packed = new Uint8Array((presence.length + 3) >>> 2)
    for (let row = 0; row < presence.length; row++) packed[row >>> 2]! |= presence[row]! << ((row & 3) * 2)
    sink.bytes(packed)
  }
}

function writeBits(sink: ByteSink, form: number, presence: Uint8Array): void {
  sink.u8(form)
  const packed = new Uint8Array((presence.length + 7) >>> 3)
  for (let row = 0; row < presence.length; row++) if (presence[row] === PRESENT) packed[row >>> 3]! |= 1 << (row & 7)
  sink.bytes(packed)
}

export function readPresence(source: ByteSource, rowCount: number): Uint8Array | null {
  const form = source.u8()
  if (form === ALL_PRESENT) return null
  const presence = new Uint8Array(rowCount)
  if (form === ANY_STATE) {
    const packed = source.bytes((rowCount + 3) >>> 2)
    for (let row = 0; row < rowCount; row++) {
      const state = (packed[row >>> 2]! >>> ((row & 3) * 2)) & 3
      if (state > PRESENT) throw new RangeError('a presence that is none')
      presence[row] = state
    }
    return presence
  }
  if (form !== MISSING_OR_PRESENT && form !== NULL_OR_PRESENT)
    throw new RangeError(`presence form ${form} is not known`)
  const absent = form === MISSING_OR_PRESENT ? MISSING : NULL
  const packed = source.bytes((rowCount + 7) >>> 3)
  for (let row = 0; row < rowCount; row++) presence[row] = (packed[row >>> 3]! >>> (row & 7)) & 1 ? PRESENT : absent
  return presence
}

/** The presence of these rows alone. */
export function presenceAt(presence: Uint8Array | null, rows: Uint32Array): Uint8Array | null {
  return presence === null ? null : Uint8Array.from(rows, row => presence[row]!)
}

/** Numbers under absent rows cost nothing when they repeat their neighbour; `readPresence` callers zero them again. */
export function fillAbsent<T extends Float64Array | Int32Array | Uint16Array>(
  values: T,
  presence: Uint8Array | null,
): T {
  if (presence === null) return values
  const filled = values.slice() as T
  let last = 0
  for (let row = 0; row < filled.length; row++) {
    if (presence[row] === PRESENT) {
      last = filled[row]!
      break
    }
  }
  for (let row = 0; row < filled.length; row++) {
    if (presence[row] === PRESENT) last = filled[row]!
    else filled[row] = last
  }
  return filled
}

export function zeroAbsent(values: Float64Array | Int32Array | Uint16Array | null, presence: Uint8Array | null): void {
  if (presence === null || values === null) return
  for (let row = 0; row < presence.length; row++) if (presence[row] !== PRESENT) values[row] = 0
}
