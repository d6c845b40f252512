/**
 * The tokens of a column of text, hashed: sixty-four bytes are told to be of words or not at once, where words begin and end comes out of that as two
 * numbers of as many bits, and a short word that was met lately is known by its bytes, eight at a time, and not hashed again. Rows stand one behind the
 * other, with a bit where each begins, so that a loop ends once in 64 bytes and not with each row. What is not known is noted and hashed afterwards, four
 * words side by side: each step of a hash waits for the one before. Texts are copied a piece at a time to where the loops work, in its processor's cache.
 * (A message of 88 bytes 415 ns as JavaScript, 170 sixteen bytes and a row at a time, 129 this way; a trace's id 49 and 31.)
 */
import { HASH_PRIME, HASH_SEED } from '../tokens.ts'
import type { TextVector } from '../vector.ts'
import { type Code, I32, I64, type LoopBeside, MachineLoop, op, V128 } from '../vector-module.ts'
import { WhileUsed } from '../while-used.ts'
import { finishHashCode } from './hash-code.ts'

const BLOCK_BYTES = 64
const WORD_BYTES = 8
/** Addresses in bytes. Words met lately, where rows begin, a bit for each byte of text where one does, blocks with longer characters, texts, words to hash, hashes. */
const MET_BITS = 12
const MET_BYTES = 8 << MET_BITS
const TEXT_BYTES = 64 * 1024
const ROWS_MAX = 4096
const OFFSETS = MET_BYTES
const BEGINNINGS = OFFSETS + 4 * ROWS_MAX
const BEGINNINGS_BYTES = TEXT_BYTES / 8 + 16
const LEFT = BEGINNINGS + BEGINNINGS_BYTES
const LEFT_BYTES = 4 * (TEXT_BYTES / BLOCK_BYTES + 4)
/** Texts begin up to a word later, so as to lie in it as where they come from (`shared-copy.ts`). */
const TEXT = Math.ceil((LEFT + LEFT_BYTES) / WORD_BYTES) * WORD_BYTES
/** No byte of a word, and read all the same. */
const BEYOND = 2 * BLOCK_BYTES
/** No two words of a row without a byte between them. */
const WORDS_MAX = TEXT_BYTES / 2 + ROWS_MAX + 4
/** Where each begins and has ended. */
const WORDS = TEXT + TEXT_BYTES + BEYOND
const OUT = WORDS + 8 * WORDS_MAX
const MEMORY_BYTES = OUT + 4 * WORDS_MAX

const SPREAD = -0x61c8864680b583ebn
const CASE_BIT = 0x20

const within = (from: number, count: number): Code => [
  ...[op.everyByte(from), op.subtractBytes, op.everyByte(count), op.bytesLessUnsigned],
]

const END = 0
const [AT, START, STOP, LENGTH, PLACE, WORD_AT] = [1, 2, 3, 4, 5, 6] as const
const [IN_WORDS, STARTS, STOPS, CARRY, KEY] = [7, 8, 9, 10, 11] as const
const BYTES = 12
const FIND_LOCALS = [I32, I32, I32, I32, I32, I32, I64, I64, I64, I64, I64, V128]

/** Of sixteen bytes, which are of words, into those of the block. */
const classify = (offset: number): Code => [
  ...[
    op.get(AT),
    op.loadVector(offset),
    op.tee(BYTES),
    ...within(48, 10),
    op.get(BYTES),
    op.everyByte(CASE_BIT),
    op.orVector,
    ...within(97, 26),
  ],
  ...[op.orVector, op.bitmask, op.longOfUnsigned, op.i64(offset), op.shiftLeftLong],
]

/** Of the lowest bit there is, its byte; the bit goes. */
const takeBit = (bits: number, into: number): Code => [
  ...[op.get(AT), op.get(bits), op.trailingZerosLong, op.intOfLong, op.add, op.set(into)],
  ...[op.get(bits), op.get(bits), op.i64(1), op.subtractLongs, op.andLongs, op.set(bits)],
]

/** The word from START to STOP: nothing, if it was met lately. */
const NOTE: Code = [
  ...[op.block, op.get(STOP), op.get(START), op.sub, op.tee(LENGTH), op.i32(9), op.lessUnsigned, op.ifThen],
  ...[op.get(START), op.loadLong, op.i64(-1)],
  ...[op.i32(8), op.get(LENGTH), op.sub, op.i32(3), op.shiftLeft, op.longOfUnsigned, op.shiftRightLong],
  ...[op.andLongs, op.set(KEY), op.get(KEY), op.i64(SPREAD), op.multiplyLongs],
  ...[op.i64(64 - MET_BITS), op.shiftRightLong, op.intOfLong, op.i32(3), op.shiftLeft, op.tee(PLACE)],
  ...[op.loadLong, op.get(KEY), op.longsEqual, op.brIf(1)],
  ...[op.get(PLACE), op.get(KEY), op.storeLong, op.end],
  ...[op.get(WORD_AT), op.get(START), op.store, op.get(WORD_AT), op.get(STOP), op.storeAt(4)],
  ...[op.get(WORD_AT), op.i32(8), op.add, op.set(WORD_AT), op.end],
]

/** (end of the texts) => how many words are to be hashed. */
const FIND: Code = [
  ...[op.i32(TEXT), op.set(AT), op.i32(WORDS), op.set(WORD_AT)],
  ...[op.block, op.loop, op.get(AT), op.get(END), op.greaterUnsigned, op.brIf(1)],
  ...[...classify(0), ...classify(16), op.orLongs, ...classify(32), op.orLongs, ...classify(48), op.orLongs],
  ...[op.set(IN_WORDS)],
  // Bytes that have one of a word before them in their row, which are not needed but for what follows.
  ...[op.get(IN_WORDS), op.i64(1), op.shiftLeftLong, op.get(CARRY), op.orLongs, op.set(STOPS)],
  ...[op.get(AT), op.i32(TEXT), op.sub, op.i32(3), op.shiftRight, op.i32(BEGINNINGS), op.add, op.loadLong, op.set(KEY)],
  // A word begins where none was, or where a row does; it has ended where none is, or where a row begins.
  ...[op.get(IN_WORDS), op.get(STOPS), op.i64(-1), op.xorLongs, op.get(KEY), op.orLongs, op.andLongs, op.set(STARTS)],
  ...[op.get(STOPS), op.get(IN_WORDS), op.i64(-1), op.xorLongs, op.get(KEY), op.orLongs, op.andLongs, op.set(STOPS)],
  ...[op.get(STOPS), op.isZeroLong, op.isZero, op.ifThen],
  // One that began in the block before has no beginning in this one.
  ...[op.get(CARRY), op.isZeroLong, op.ifThen, ...takeBit(STARTS, START), op.end],
  ...[op.block, op.loop, ...takeBit(STOPS, STOP), ...NOTE],
  ...[op.get(STARTS), op.isZeroLong, op.brIf(1), ...takeBit(STARTS, START)],
  ...[op.get(STOPS), op.isZeroLong, op.brIf(1), op.br(0), op.end, op.end],
  // As long as the block, or longer: nothing ends, and something may begin.
  ...[op.orElse, op.get(STARTS), op.isZeroLong, op.isZero, op.ifThen, ...takeBit(STARTS, START), op.end, op.end],
  ...[op.get(IN_WORDS), op.i64(63), op.shiftRightLong, op.set(CARRY)],
  ...[op.get(AT), op.i32(BLOCK_BYTES), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...[op.get(WORD_AT), op.i32(WORDS), op.sub, op.i32(3), op.shiftRight],
]

const [ROWS, BASE] = [0, 1] as const
const [ROW_AT, BIT_AT] = [2, 3] as const
const MARK_LOCALS = [I32, I32]

/** (rows, offset of the first): a bit where each begins. */
const MARK: Code = [
  ...[op.i32(OFFSETS), op.set(ROW_AT), op.get(ROWS), op.i32(2), op.shiftLeft, op.i32(OFFSETS), op.add, op.set(ROWS)],
  ...[op.block, op.loop, op.get(ROW_AT), op.get(ROWS), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(ROW_AT), op.load, op.get(BASE), op.sub, op.tee(BIT_AT), op.i32(3), op.shiftRight],
  ...[op.get(BIT_AT), op.i32(3), op.shiftRight, op.loadByteAt(BEGINNINGS)],
  ...[op.i32(1), op.get(BIT_AT), op.i32(7), op.and, op.shiftLeft, op.or, op.storeByte(BEGINNINGS)],
  ...[op.get(ROW_AT), op.i32(4), op.add, op.set(ROW_AT), op.br(0), op.end, op.end, op.i32(0)],
]

const LEFT_AT = 2
const CHECK_LOCALS = [I32, I32]

/** (end of the texts): which blocks have a byte that is no ASCII, and behind them -1. */
const CHECK: Code = [
  ...[op.i32(TEXT), op.set(AT), op.i32(LEFT), op.set(LEFT_AT)],
  ...[op.block, op.loop, op.get(AT), op.get(END), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.loadVector(0), op.get(AT), op.loadVector(16), op.orVector],
  ...[op.get(AT), op.loadVector(32), op.orVector, op.get(AT), op.loadVector(48), op.orVector, op.bitmask, op.ifThen],
  ...[op.get(LEFT_AT), op.get(AT), op.store, op.get(LEFT_AT), op.i32(4), op.add, op.set(LEFT_AT), op.end],
  ...[op.get(AT), op.i32(BLOCK_BYTES), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...[op.get(LEFT_AT), op.i32(-1), op.store, op.i32(0)],
]

/** How many words are hashed side by side. */
const SIDES = [0, 1, 2, 3] as const
const COUNT = 0
const [FROM, TO, LEAST] = [1, 2, 3] as const
const byteOf = (side: number) => 4 + side
const endOf = (side: number) => 8 + side
const hashOf = (side: number) => 12 + side
const HASH_LOCALS = new Array<number>(15).fill(I32)

/** As `hashToken` does; a digit has the bit of lower case anyway. */
const step = (side: number): Code => [
  ...[op.get(hashOf(side)), op.get(byteOf(side)), op.loadByte, op.i32(CASE_BIT), op.or, op.xor],
  ...[op.i32(HASH_PRIME), op.multiply, op.set(hashOf(side))],
  ...[op.get(byteOf(side)), op.i32(1), op.add, op.set(byteOf(side))],
]

const lengthOf = (side: number): Code => [op.get(endOf(side)), op.get(byteOf(side)), op.sub]
const lesser = (side: number): Code => [
  ...[...lengthOf(side), op.get(LEAST), op.lessUnsigned, op.ifThen, ...lengthOf(side), op.set(LEAST), op.end],
]

/** (words): hashes of as many, and of as many more as make the last four. */
const HASH: Code = [
  ...[op.i32(WORDS), op.set(FROM), op.i32(OUT), op.set(TO)],
  ...[op.get(COUNT), op.i32(3), op.shiftLeft, op.i32(WORDS), op.add, op.set(COUNT)],
  ...[op.block, op.loop, op.get(FROM), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
  ...SIDES.flatMap(side => [
    ...[op.get(FROM), op.loadAt(8 * side), op.set(byteOf(side)), op.get(FROM), op.loadAt(8 * side + 4)],
    ...[op.set(endOf(side)), op.i32(HASH_SEED), op.set(hashOf(side))],
  ]),
  ...[...lengthOf(0), op.set(LEAST), ...lesser(1), ...lesser(2), ...lesser(3)],
  ...[op.block, op.loop, op.get(LEAST), op.isZero, op.brIf(1), ...SIDES.flatMap(step)],
  ...[op.get(LEAST), op.i32(1), op.sub, op.set(LEAST), op.br(0), op.end, op.end],
  ...SIDES.flatMap(side => [
    ...[op.block, op.loop, op.get(byteOf(side)), op.get(endOf(side)), op.notLessUnsigned, op.brIf(1)],
    ...[...step(side), op.br(0), op.end, op.end],
    ...[...finishHashCode(hashOf(side)), op.get(TO), op.get(hashOf(side)), op.storeAt(4 * side)],
  ]),
  ...[op.get(FROM), op.i32(8 * SIDES.length), op.add, op.set(FROM)],
  ...[op.get(TO), op.i32(4 * SIDES.length), op.add, op.set(TO), op.br(0), op.end, op.end, op.i32(0)],
]

interface Loops {
  readonly check: MachineLoop
  readonly mark: LoopBeside
  readonly find: LoopBeside
  readonly hash: LoopBeside
  readonly bytes: Uint8Array
  readonly words: Int32Array
}

const allLoops = new WhileUsed<Loops>(() => {
  const check = MachineLoop.of(1, CHECK_LOCALS, CHECK)
  if (check === null) return null
  const bytes = check.room(MEMORY_BYTES)
  const mark = check.beside(2, MARK_LOCALS, MARK)
  const find = check.beside(1, FIND_LOCALS, FIND)
  const hash = check.beside(1, HASH_LOCALS, HASH)
  // Others know nothing of what was met there.
  owner = null
  return { check, mark, find, hash, bytes, words: new Int32Array(bytes.buffer) }
})

/** Who knows the words met lately. */
let owner: object | null = null

/** Forgets what was met on behalf of whoever it was. */
export function forgetWords(of: object): void {
  if (owner === of) owner = null
}

/**
 * Calls `add` with the hash of every token of the column that was not lately given to `of`.
 *
 * @param addText  takes texts that are left over
 * @returns false: there is no such loop here, and nothing was done
 */
export function hashColumn(
  of: object,
  { rowCount, bytes, offsets }: TextVector,
  add: (hashes: Int32Array) => void,
  addText: (start: number, end: number) => void,
): boolean {
  const loops = allLoops.get()
  if (loops === null) return false
  const { check, mark, find, hash, bytes: memory, words } = loops
  if (owner !== of) memory.fill(0, 0, MET_BYTES)
  owner = of
  for (let row = 0; row < rowCount; ) {
    const base = offsets[row]!
    const end = endOfPiece(offsets, row, rowCount)
    if (end === row) {
      addText(base, offsets[row + 1]!)
      row++
      continue
    }
    const lean = (bytes.byteOffset + base) % WORD_BYTES
    const shift = TEXT + lean - base
    const textEnd = offsets[end]! + shift
    memory.fill(0, TEXT, TEXT + lean)
    memory.set(bytes.subarray(base, offsets[end]!), TEXT + lean)
    memory.fill(0, textEnd, textEnd + BEYOND)
    memory.fill(0, BEGINNINGS, BEGINNINGS + ((textEnd - TEXT) >>> 3) + 8)
    words.set(offsets.subarray(row, end), OFFSETS / 4)
    mark.run(end - row, base - lean)
    check.run(textEnd)
    if (words[LEFT / 4] !== -1) leave(loops, offsets, row, end, shift, addText)
    const count = find.run(textEnd)
    words.fill(TEXT, WORDS / 4 + 2 * count, WORDS / 4 + 2 * count + 8)
    hash.run(count)
    add(words.subarray(OUT / 4, OUT / 4 + count))
    row = end
  }
  return true
}

/** Rows from `row` on that there is room for at once end there. */
function endOfPiece(offsets: Uint32Array, row: number, rowCount: number): number {
  const bytesEnd = offsets[row]! + TEXT_BYTES
  let end = row
  // Looked at one by one they took as long as half of what is then done with them.
  for (let step = ROWS_MAX; step >= 1; step /= 2)
    while (end + step <= Math.min(rowCount, row + ROWS_MAX) && offsets[end + step]! <= bytesEnd) end += step
  return end
}

/** Rows with a byte in a block that was noted are given to `addText`, and nothing is where they were. */
function leave(
  { bytes, words }: Loops,
  offsets: Uint32Array,
  row: number,
  end: number,
  shift: number,
  addText: (start: number, end: number) => void,
): void {
  let each = row
  for (let at = LEFT / 4; words[at] !== -1; at++) {
    const from = words[at]! - shift
    while (each < end && offsets[each + 1]! <= from) each++
    for (; each < end && offsets[each]! < from + BLOCK_BYTES; each++) {
      addText(offsets[each]!, offsets[each + 1]!)
      bytes.fill(0, offsets[each]! + shift, offsets[each + 1]! + shift)
    }
  }
}
