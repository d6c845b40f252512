/** Hexadecimal digits, two to a byte: sixteen at once. The 32 of a trace's id take 7 ns, the copies to and fro included, 34 two at a time. */
import { I32, MachineLoop, op, V128 } from '../../vector-module.ts'
import { WhileUsed } from '../../while-used.ts'

const TEXT = 0
const TEXT_BYTES = 64 * 1024
const OUT = TEXT_BYTES

const END = 0
const [AT, TO] = [1, 2] as const
const [BYTES, LETTERS, ARE_DIGITS] = [3, 4, 5] as const
const LOCALS = [I32, I32, V128, V128, V128]

const below = (from: number, count: number) => [
  ...[op.everyByte(from), op.subtractBytes, op.everyByte(count), op.bytesLessUnsigned],
]

/** (end of the text) => 16 bits, all of them set where all of it are digits. What follows the text up to a multiple of sixteen is read. */
const CODE = [
  ...[op.everyByte(255), op.set(ARE_DIGITS), op.i32(OUT), op.set(TO)],
  ...[op.block, op.loop, op.get(AT), op.get(END), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.loadVector(0), op.set(BYTES), op.get(BYTES), ...below(97, 6), op.set(LETTERS)],
  ...[op.get(BYTES), ...below(48, 10), op.get(LETTERS), op.orVector, op.get(ARE_DIGITS), op.andVector],
  ...[op.set(ARE_DIGITS), op.get(TO)],
  // The low half of a digit's byte is its value, of a letter's nine less.
  ...[op.get(BYTES), op.everyByte(15), op.andVector, op.get(LETTERS), op.everyByte(247), op.andVector],
  ...[op.subtractBytes, op.set(BYTES)],
  // The first of two becomes the high half.
  ...[op.get(BYTES), op.i32(4), op.shiftPairsLeft, op.get(BYTES), op.i32(8), op.shiftPairsRight, op.orVector],
  ...[op.bytes([255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0]), op.andVector, op.set(BYTES)],
  ...[op.get(BYTES), op.get(BYTES), op.bytesOfPairs, op.longOfVector(0), op.storeLong],
  ...[op.get(AT), op.i32(16), op.add, op.set(AT), op.get(TO), op.i32(8), op.add, op.set(TO), op.br(0), op.end, op.end],
  ...[op.get(ARE_DIGITS), op.bitmask],
]

const theLoop = new WhileUsed(() => {
  const loop = MachineLoop.of(1, LOCALS, CODE)
  return loop === null ? null : { loop, bytes: loop.room(OUT + TEXT_BYTES / 2) }
})

/**
 * @param digits  an even number of bytes
 * @param packed  gets half as many
 * @returns whether all are lower-case digits; null: there is no such loop here
 */
export function packDigits(digits: Uint8Array, packed: Uint8Array): boolean | null {
  const made = theLoop.get()
  if (made === null) return null
  const { loop, bytes } = made
  for (let from = 0; from < digits.length; from += TEXT_BYTES) {
    const piece = digits.subarray(from, from + TEXT_BYTES)
    bytes.set(piece, TEXT)
    bytes.fill(48, piece.length, (piece.length + 15) & ~15)
    if (loop.run(piece.length) !== 0xffff) return false
    packed.set(bytes.subarray(OUT, OUT + piece.length / 2), from / 2)
  }
  return true
}
