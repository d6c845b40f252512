/**
 * Memory of tables that have grown, or whose query is over, for the tables to come. A table that ends up with 66,000 texts has left as much behind while
 * it grew, 14 MB a query with all that stands beside it, and V8 collects garbage for every 25 MB of it (`helpers/lent.ts` says what that costs).
 */
import { giveBack, spare } from '../../helpers/lent.ts'

type Table = Int32Array | Uint32Array | Float64Array | Uint8Array

export const zeroInts = (length: number) => spare.elements(Int32Array, length).fill(0)
export const zeroWords = (length: number) => spare.elements(Uint32Array, length).fill(0)
export const zeroNumbers = (length: number) => spare.elements(Float64Array, length).fill(0)
export const zeroBytes = (length: number) => spare.elements(Uint8Array, length).fill(0)

/** Nobody looks at it any more. Made here, or at least with a buffer of its own. */
export function giveUp({ buffer }: Table): void {
  if (buffer instanceof ArrayBuffer) giveBack(buffer)
}

/** What `old` holds, in a larger table; `old` is given up. */
export function moved<Grown extends Table>(old: Table, grown: Grown): Grown {
  grown.set(old)
  giveUp(old)
  return grown
}
