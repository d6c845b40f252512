/**
 * What `fuse-filter.ts` does with the tokens of a block, as machine code: what a place holds is one number of eight bytes, the hashes xored and above
 * them how many, so that adding or taking one is a load, an xor, an addition and a store, whether it is alone then is no branch, and the first block takes
 * no longer than those that follow (as JavaScript 40 to 400 ms, while it waits to be compiled in each thread; 107,000 tokens otherwise 8.2 ms, this way 3.3).
 */
import { type Code, I32, I64, type LoopBeside, MachineLoop, op } from '../vector-module.ts'
import { WhileUsed } from '../while-used.ts'
import { finishHashCode } from './hash-code.ts'

export interface FuseShape {
  readonly salt: number
  readonly segmentLength: number
  /** Of the first of the three places. */
  readonly room: number
}

/** The product of a hash and the room is exact up to here as JavaScript has it, which is the file's format. */
const ROOM_MAX = 2 ** 21
const ONE = 1n << 32n

const [COUNT, SALT, SEGMENT, ROOM] = [0, 1, 2, 3] as const
/** Addresses in bytes; what places hold is at 0. */
const [HASHES, LONELY, ORDER, OWN] = [4, 5, 6, 7] as const
const PARAMETERS = 8
const [AT, HASH, FIRST, SECOND, A, B, C, PLACE, READ, WRITE] = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17] as const
const [HELD, HASH_LONG] = [18, 19] as const
const LOCALS = [...new Array<number>(10).fill(I32), I64, I64]

/** As `locate` does: of HASH the places A, B and C, and SECOND. */
const LOCATE: Code = [
  ...[op.get(HASH), op.get(SALT), op.xor, op.set(FIRST), ...finishHashCode(FIRST)],
  ...[op.get(FIRST), op.i32(0x7f4a7c15), op.add, op.set(SECOND), ...finishHashCode(SECOND)],
  ...[op.get(FIRST), op.longOfUnsigned, op.get(ROOM), op.longOfUnsigned, op.multiplyLongs],
  ...[op.i64(32), op.shiftRightLong, op.intOfLong, op.tee(A), op.get(SEGMENT), op.add],
  ...[op.get(SECOND), op.get(SEGMENT), op.i32(1), op.sub, op.and, op.xor, op.set(B)],
  ...[op.get(A), op.get(SEGMENT), op.i32(1), op.shiftLeft, op.add],
  ...[op.get(SECOND), op.i32(16), op.shiftRight, op.get(SEGMENT), op.i32(1), op.sub, op.and, op.xor, op.set(C)],
]

const slotOf = (place: number): Code => [op.get(place), op.i32(3), op.shiftLeft]

const join = (place: number): Code => [
  ...[...slotOf(place), ...slotOf(place), op.loadLong, op.get(HASH_LONG), op.xorLongs],
  ...[op.i64(ONE), op.addLongs, op.storeLong],
]

/** (hashes): what each place holds. */
const JOIN: Code = [
  ...[op.get(COUNT), op.i32(2), op.shiftLeft, op.get(HASHES), op.add, op.set(COUNT)],
  ...[op.block, op.loop, op.get(HASHES), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(HASHES), op.load, op.tee(HASH), op.longOfUnsigned, op.set(HASH_LONG), ...LOCATE],
  ...[...join(A), ...join(B), ...join(C)],
  ...[op.get(HASHES), op.i32(4), op.add, op.set(HASHES), op.br(0), op.end, op.end, op.i32(0)],
]

/** Leaves 1 if HELD is of one hash alone, 0 otherwise. */
const IS_LONELY: Code = [op.get(HELD), op.i64(32), op.shiftRightLong, op.i64(1), op.longsEqual]

/** Notes the place, which counts if it is lonely. */
const note = (place: number): Code => [
  ...[op.get(WRITE), op.get(place), op.store],
  ...[op.get(WRITE), ...IS_LONELY, op.i32(2), op.shiftLeft, op.add, op.set(WRITE)],
]

const takeOut = (place: number): Code => [
  ...[...slotOf(place), ...slotOf(place), op.loadLong, op.get(HASH_LONG), op.xorLongs],
  ...[op.i64(ONE), op.subtractLongs, op.tee(HELD), op.storeLong, ...note(place)],
]

/** (places) => how many hashes have a place of their own, in whose order they are put down, with that place: first in, first out. */
const TAKE_APART: Code = [
  ...[op.get(LONELY), op.tee(READ), op.set(WRITE)],
  ...[op.block, op.loop, op.get(AT), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
  ...[...slotOf(AT), op.loadLong, op.set(HELD), ...note(AT)],
  ...[op.get(AT), op.i32(1), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...[op.i32(0), op.set(AT)],
  ...[op.block, op.loop, op.get(READ), op.get(WRITE), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(READ), op.load, op.set(PLACE), op.get(READ), op.i32(4), op.add, op.set(READ)],
  ...[...slotOf(PLACE), op.loadLong, op.tee(HELD), op.intOfLong, op.tee(HASH), op.longOfUnsigned, op.set(HASH_LONG)],
  ...[...IS_LONELY, op.isZero, op.brIf(0)],
  ...[op.get(ORDER), op.get(AT), op.add, op.get(HASH), op.store],
  ...[op.get(OWN), op.get(AT), op.add, op.get(PLACE), op.store, op.get(AT), op.i32(4), op.add, op.set(AT)],
  ...[...LOCATE, ...takeOut(A), ...takeOut(B), ...takeOut(C), op.br(0), op.end, op.end],
  ...[op.get(AT), op.i32(2), op.shiftRight],
]

const fingerprintAt = (place: number): Code => [op.get(LONELY), op.get(place), op.add, op.loadByte, op.xor]

/** (hashes): from the last one on, the fingerprints, which lie where lonely places were and are all zero before. */
const ASSIGN: Code = [
  ...[op.get(COUNT), op.i32(2), op.shiftLeft, op.set(AT)],
  ...[op.block, op.loop, op.get(AT), op.isZero, op.brIf(1), op.get(AT), op.i32(4), op.sub, op.set(AT)],
  ...[op.get(ORDER), op.get(AT), op.add, op.load, op.set(HASH), ...LOCATE],
  ...[op.get(SECOND), op.i32(0x165667b1), op.add, op.set(FIRST), ...finishHashCode(FIRST)],
  ...[op.get(LONELY), op.get(OWN), op.get(AT), op.add, op.load, op.add],
  ...[op.get(FIRST), ...fingerprintAt(A), ...fingerprintAt(B), ...fingerprintAt(C), op.storeByte(0)],
  ...[op.br(0), op.end, op.end, op.i32(0)],
]

interface Loops {
  readonly join: MachineLoop
  readonly takeApart: LoopBeside
  readonly assign: LoopBeside
}

/** Several megabytes, once they were used. */
const allLoops = new WhileUsed<Loops>(() => {
  const join = MachineLoop.of(PARAMETERS, LOCALS, JOIN)
  if (join === null) return null
  const takeApart = join.beside(PARAMETERS, LOCALS, TAKE_APART)
  return { join, takeApart, assign: join.beside(PARAMETERS, LOCALS, ASSIGN) }
})

/**
 * The fingerprints of so many hashes; null when they cannot be put in an order.
 *
 * @returns undefined: there is no such loop here, or not for so many
 */
export function peelByLoop(
  hashes: Int32Array,
  count: number,
  { salt, segmentLength, room }: FuseShape,
): Uint8Array | null | undefined {
  const loops = room > ROOM_MAX ? null : allLoops.get()
  if (loops === null) return undefined
  const length = room + 2 * segmentLength
  const lonely = 8 * length
  // One more may be written than count.
  const order = lonely + 4 * (length + 1)
  const own = order + 4 * count
  const given = own + 4 * count
  const { join, takeApart, assign } = loops
  const memory = join.room(given + 4 * count)
  memory.fill(0, 0, lonely)
  new Int32Array(memory.buffer, given, count).set(hashes.subarray(0, count))
  const shape = [salt, segmentLength, room, given, lonely, order, own] as const
  join.run(count, ...shape)
  if (takeApart.run(length, ...shape) !== count) return null
  memory.fill(0, lonely, lonely + length)
  assign.run(count, ...shape)
  return memory.slice(lonely, lonely + length)
}
