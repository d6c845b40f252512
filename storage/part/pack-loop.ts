/**
 * Numbers in as many bits as the greatest of them needs, sixteen bytes at a time. The layout is made for it: the numbers of a lane stand as they
 * would side by side in vectors, and each place of a vector has a stream of bits of its own, so that a shift, an or and a mask make all of one
 * vector. What is behind the last whole group of 128 numbers is filled up with zeros.
 */
import { I32, type LoopBeside, MachineLoop, op, V128 } from '../vector-module.ts'

/** Bytes of each number. */
export type LaneWidth = 1 | 2 | 4

export const VECTOR_BYTES = 16
/** Vectors of a group are as many as its numbers have bits, and packed as many as those they need: both end together. */
const GROUP_NUMBERS = 128
/** So much of a lane is worked on at once: both sides stay in the processor's cache. */
const PIECE_BYTES = 64 * 1024
const PLAIN = 0
const PACKED = PIECE_BYTES
/** Behind what is read beyond the last vector, and not used. */
const GREATEST = 2 * PIECE_BYTES + VECTOR_BYTES
const MEMORY_BYTES = GREATEST + VECTOR_BYTES

/** Bytes that `count` numbers of so many bits take. */
export function packedBytes(count: number, bits: number): number {
  return Math.ceil(count / GROUP_NUMBERS) * bits * VECTOR_BYTES
}

interface VectorOps {
  readonly splat: readonly number[]
  readonly left: readonly number[]
  readonly right: readonly number[]
  readonly greatest: readonly number[]
}

const OPS: Readonly<Record<LaneWidth, VectorOps>> = {
  1: { splat: op.splatBytes, left: op.shiftBytesLeft, right: op.shiftBytesRight, greatest: op.greatestBytes },
  2: { splat: op.splatPairs, left: op.shiftPairsLeft, right: op.shiftPairsRight, greatest: op.greatestPairs },
  4: { splat: op.splatWords, left: op.shiftWordsLeft, right: op.shiftWordsRight, greatest: op.greatestWords },
}

const [END, BITS] = [0, 1] as const
const [FROM, TO, SHIFT] = [2, 3, 4] as const
const [MASK, HELD, VALUES, MOST] = [5, 6, 7, 8] as const
const LOCALS = [I32, I32, I32, V128, V128, V128, V128]

/** (end of what is unpacked, bits): what lies at PACKED, to PLAIN, and the greatest of each place to GREATEST. */
function unpackCode(width: LaneWidth) {
  const { splat, left, right, greatest } = OPS[width]
  return [
    ...[op.i32(1), op.get(BITS), op.shiftLeft, op.i32(1), op.sub, splat, op.set(MASK)],
    ...[op.i32(PACKED), op.tee(FROM), op.loadVector(0), op.set(HELD)],
    ...[op.block, op.loop, op.get(TO), op.get(END), op.notLessUnsigned, op.brIf(1)],
    ...[op.get(HELD), op.get(SHIFT), right, op.set(VALUES)],
    ...[op.get(SHIFT), op.get(BITS), op.add, op.tee(SHIFT), op.i32(8 * width), op.notLessUnsigned, op.ifThen],
    ...[op.get(SHIFT), op.i32(8 * width), op.sub, op.set(SHIFT)],
    ...[op.get(FROM), op.i32(VECTOR_BYTES), op.add, op.tee(FROM), op.loadVector(0), op.tee(HELD)],
    // Where nothing of it is meant, it goes beyond the mask.
    ...[op.get(BITS), op.get(SHIFT), op.sub, left, op.get(VALUES), op.orVector, op.set(VALUES), op.end],
    ...[op.get(VALUES), op.get(MASK), op.andVector, op.set(VALUES), op.get(TO), op.get(VALUES), op.storeVector(0)],
    ...[op.get(MOST), op.get(VALUES), greatest, op.set(MOST)],
    ...[op.get(TO), op.i32(VECTOR_BYTES), op.add, op.set(TO), op.br(0), op.end, op.end],
    ...[op.i32(GREATEST), op.get(MOST), op.storeVector(0), op.i32(0)],
  ]
}

/** (end of what is packed, bits): what lies at PLAIN, to PACKED. */
function packCode(width: LaneWidth) {
  const { left, right } = OPS[width]
  return [
    ...[op.i32(PACKED), op.set(TO)],
    ...[op.block, op.loop, op.get(FROM), op.get(END), op.notLessUnsigned, op.brIf(1)],
    ...[op.get(FROM), op.loadVector(0), op.tee(VALUES), op.get(SHIFT), left, op.get(HELD), op.orVector, op.set(HELD)],
    ...[op.get(SHIFT), op.get(BITS), op.add, op.tee(SHIFT), op.i32(8 * width), op.notLessUnsigned, op.ifThen],
    ...[op.get(TO), op.get(HELD), op.storeVector(0), op.get(TO), op.i32(VECTOR_BYTES), op.add, op.set(TO)],
    ...[op.get(SHIFT), op.i32(8 * width), op.sub, op.set(SHIFT)],
    // Where nothing is left over, they have no bits that far up.
    ...[op.get(VALUES), op.get(BITS), op.get(SHIFT), op.sub, right, op.set(HELD), op.end],
    ...[op.get(FROM), op.i32(VECTOR_BYTES), op.add, op.set(FROM), op.br(0), op.end, op.end, op.i32(0)],
  ]
}

type Way = 'pack' | 'unpack'

interface Loops {
  /** That of the first who asked; the others work in its memory. */
  readonly own: MachineLoop
  readonly bytes: Uint8Array
  readonly byName: Map<string, MachineLoop | LoopBeside>
}

/** Made when they are first asked for; null: there is no such loop here. */
let loops: Loops | null | undefined

function loopOf(
  way: Way,
  width: LaneWidth,
): { readonly loop: MachineLoop | LoopBeside; readonly bytes: Uint8Array } | null {
  const name = `${way} ${width}`
  const code = () => (way === 'pack' ? packCode(width) : unpackCode(width))
  if (loops === undefined) {
    const own = MachineLoop.of(2, LOCALS, code())
    loops = own === null ? null : { own, bytes: own.room(MEMORY_BYTES), byName: new Map([[name, own]]) }
  }
  if (loops === null) return null
  const { own, bytes, byName } = loops
  let loop = byName.get(name)
  if (loop === undefined) byName.set(name, (loop = own.beside(2, LOCALS, code())))
  return { loop, bytes }
}

/**
 * @param plain  numbers of `width` bytes, none of which needs more than `bits`, which are fewer than it has
 * @param packed  gets `packedBytes` of them
 */
export function packLane(plain: Uint8Array, width: LaneWidth, bits: number, packed: Uint8Array): void {
  const made = loopOf('pack', width)
  if (made === null) {
    packEach(plain, width, bits, packed)
    return
  }
  const { loop, bytes } = made
  const packedPiece = (PIECE_BYTES / (8 * width)) * bits
  for (let piece = 0; piece * PIECE_BYTES < plain.length; piece++) {
    const some = plain.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES)
    const end = packedBytes(some.length / width, 8 * width)
    bytes.set(some, PLAIN)
    bytes.fill(0, PLAIN + some.length, PLAIN + end)
    loop.run(end, bits)
    const length = packedBytes(some.length / width, bits)
    packed.set(bytes.subarray(PACKED, PACKED + length), piece * packedPiece)
  }
}

/**
 * @param plain  gets what `packLane` was given, from what it made of it
 * @returns the greatest of them, if not one that stands where there was nothing to pack
 */
export function unpackLane(packed: Uint8Array, width: LaneWidth, bits: number, plain: Uint8Array): number {
  const made = loopOf('unpack', width)
  if (made === null) return unpackEach(packed, width, bits, plain)
  const { loop, bytes } = made
  const packedPiece = (PIECE_BYTES / (8 * width)) * bits
  let greatest = 0
  for (let piece = 0; piece * PIECE_BYTES < plain.length; piece++) {
    const length = Math.min(PIECE_BYTES, plain.length - piece * PIECE_BYTES)
    bytes.set(packed.subarray(piece * packedPiece, (piece + 1) * packedPiece), PACKED)
    loop.run(length, bits)
    plain.set(bytes.subarray(PLAIN, PLAIN + length), piece * PIECE_BYTES)
    for (let at = GREATEST; at < MEMORY_BYTES; at += width) greatest = Math.max(greatest, numberAt(bytes, at, width))
  }
  return greatest
}

function numberAt(bytes: Uint8Array, at: number, width: LaneWidth): number {
  let number = 0
  for (let byte = width - 1; byte >= 0; byte--) number = number * 256 + bytes[at + byte]!
  return number
}

/** A number after the other, as the layout has it: what there is without WebAssembly, and what the loops are held against. */
export function packEach(plain: Uint8Array, width: LaneWidth, bits: number, packed: Uint8Array): void {
  packed.fill(0)
  for (let at = 0; at < plain.length * 8; at++) {
    const bit = (plain[at >>> 3]! >>> (at & 7)) & 1
    if (bit === 0) continue
    const place = placeOf(at, width, bits)
    packed[place >>> 3]! |= 1 << (place & 7)
  }
}

/** The opposite of `packEach`; the greatest of them. */
export function unpackEach(packed: Uint8Array, width: LaneWidth, bits: number, plain: Uint8Array): number {
  plain.fill(0)
  let greatest = 0
  for (let number = 0; number < plain.length / width; number++) {
    for (let bit = 0; bit < bits; bit++) {
      const at = number * 8 * width + bit
      const place = placeOf(at, width, bits)
      plain[at >>> 3]! |= ((packed[place >>> 3]! >>> (place & 7)) & 1) << (at & 7)
    }
    greatest = Math.max(greatest, numberAt(plain, number * width, width))
  }
  return greatest
}

/** Where a bit of the plain numbers stands among the packed ones. */
function placeOf(at: number, width: LaneWidth, bits: number): number {
  const wide = 8 * width
  const [vector, inVector] = [Math.floor(at / 128), at % 128]
  const lane = Math.floor(inVector / wide)
  const inStream = vector * bits + (inVector % wide)
  return Math.floor(inStream / wide) * 128 + lane * wide + (inStream % wide)
}
