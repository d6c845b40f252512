/**
 * Memory of tables that have grown, or whose query is over, for the tables to come. A table that ends up with 66,000 texts has left as much behind while
 * it grew, 14 MB a query with all that stands beside it, and V8 collects garbage for every 25 MB of it (`helpers/lent.ts` says what that costs).
 */

import { takenBack } from '../../helpers/lent.ts'

type Table = Int32Array | Uint32Array | Float64Array | Uint8Array

/** Held by nothing else: a collection takes it, so that a thread at rest has none. */
let held: WeakRef<ArrayBuffer[]> | null = null
const SPARE_BYTES_MAX = 16 * 2 ** 20
/** Less than this costs V8 less than looking for it. */
const SPARE_MIN = 8192

function spare(): ArrayBuffer[] {
  let buffers = held?.deref()
  if (buffers === undefined) held = new WeakRef((buffers = []))
  return buffers
}

/** So many bytes, or up to twice as many; zeros. */
function zeros(bytes: number): ArrayBuffer {
  if (bytes < SPARE_MIN) return new ArrayBuffer(bytes)
  const buffers = spare()
  const fits = buffers.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= 2 * bytes)
  if (fits < 0) return new ArrayBuffer(bytes)
  const buffer = buffers.splice(fits, 1)[0]!
  new Uint8Array(buffer).fill(0)
  return buffer
}

export const zeroInts = (length: number) => new Int32Array(zeros(4 * length), 0, length)
export const zeroWords = (length: number) => new Uint32Array(zeros(4 * length), 0, length)
export const zeroNumbers = (length: number) => new Float64Array(zeros(8 * length), 0, length)
export const zeroBytes = (length: number) => new Uint8Array(zeros(length), 0, length)

/** Nobody looks at it any more. Made here, or at least with a buffer of its own. */
export function giveUp({ buffer }: Table): void {
  if (takenBack.isOverwritten) new Uint8Array(buffer).fill(0xee)
  if (buffer.byteLength < SPARE_MIN || !(buffer instanceof ArrayBuffer)) return
  const buffers = spare()
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (bytes + buffer.byteLength <= SPARE_BYTES_MAX) buffers.push(buffer)
}

/** What `old` holds, in a larger table; `old` is given up. */
export function moved<Grown extends Table>(old: Table, grown: Grown): Grown {
  grown.set(old)
  giveUp(old)
  return grown
}
