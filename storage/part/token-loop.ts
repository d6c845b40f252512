/**
 * The tokens of a column of text, hashed: sixteen bytes are told to be of words or not at once, and a short word that was met lately is known by its
 * bytes, eight at a time, and not hashed again. A byte at a time each end of a word was guessed wrong, which took most of it: a message of 88 bytes
 * 415 ns as JavaScript, 150 this way; the texts are copied a piece at a time to where the loop works, in its processor's cache.
 */
import { HASH_PRIME, HASH_SEED } from '../tokens.ts'
import type { TextVector } from '../vector.ts'
import { type Code, I32, I64, MachineLoop, op, V128 } from '../vector-module.ts'

/** Addresses in bytes. Words met lately, where rows begin and end, rows that are left over, texts, hashes. */
const MET_BITS = 11
const MET_BYTES = 8 << MET_BITS
const OFFSETS = MET_BYTES
const ROWS_MAX = 4096
const LEFT = OFFSETS + 4 * (ROWS_MAX + 4)
const TEXT = LEFT + 4 * (ROWS_MAX + 4)
const TEXT_BYTES = 128 * 1024
/** So much is read beyond a text's end. */
const BEYOND = 16
const OUT = TEXT + TEXT_BYTES + BEYOND
/** No two tokens without a byte between them. */
const MEMORY_BYTES = OUT + 4 * (TEXT_BYTES / 2 + 1)

const ROWS = 0
const [ROW, AT, END, WORDS, EDGES, IS_IN, START, STOP, LENGTH, HASH, PLACE, OUT_AT, LEFT_AT] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const
const [KEY, BYTES] = [14, 15] as const
const LOCALS = [I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I64, V128]

const SPREAD = -0x61c8864680b583ebn
const CASE_BIT = 0x20

const xorShifted = (by: number): Code => [
  ...[op.get(HASH), op.get(HASH), op.i32(by), op.shiftRight, op.xor, op.set(HASH)],
]
const multiplied = (by: number): Code => [op.get(HASH), op.i32(by | 0), op.multiply, op.set(HASH)]

/** The token from START to STOP. */
const ADD: Code = [
  ...[op.block, op.get(STOP), op.get(START), op.sub, op.tee(LENGTH), op.i32(9), op.lessUnsigned, op.ifThen],
  ...[op.get(START), op.loadLong, op.i64(-1)],
  ...[op.i32(8), op.get(LENGTH), op.sub, op.i32(3), op.shiftLeft, op.longOfUnsigned, op.shiftRightLong],
  ...[op.andLongs, op.set(KEY), op.get(KEY), op.i64(SPREAD), op.multiplyLongs],
  ...[op.i64(64 - MET_BITS), op.shiftRightLong, op.intOfLong, op.i32(3), op.shiftLeft, op.tee(PLACE)],
  ...[op.loadLong, op.get(KEY), op.longsEqual, op.brIf(1)],
  ...[op.get(PLACE), op.get(KEY), op.storeLong, op.end],
  // As `hashToken` does; a digit has the bit of lower case anyway.
  ...[op.i32(HASH_SEED), op.set(HASH), op.loop],
  ...[op.get(HASH), op.get(START), op.loadByte, op.i32(CASE_BIT), op.or, op.xor, op.i32(HASH_PRIME), op.multiply],
  ...[op.set(HASH), op.get(START), op.i32(1), op.add, op.tee(START), op.get(STOP), op.lessUnsigned, op.brIf(0), op.end],
  ...[...xorShifted(16), ...multiplied(0x85ebca6b), ...xorShifted(13), ...multiplied(0xc2b2ae35), ...xorShifted(16)],
  ...[op.get(OUT_AT), op.get(HASH), op.store, op.get(OUT_AT), op.i32(4), op.add, op.set(OUT_AT), op.end],
]

const within = (from: number, count: number): Code => [
  ...[op.everyByte(from), op.subtractBytes, op.everyByte(count), op.bytesLessUnsigned],
]

/** (rows) => how many hashes. A row with a byte that is no ASCII is left over, whatever was added of it. */
const CODE: Code = [
  ...[op.i32(OUT), op.set(OUT_AT), op.i32(LEFT), op.set(LEFT_AT)],
  ...[op.block, op.loop, op.get(ROW), op.get(ROWS), op.notLessUnsigned, op.brIf(1)],
  ...[op.i32(OFFSETS), op.get(ROW), op.i32(2), op.shiftLeft, op.add, op.tee(PLACE), op.load, op.set(AT)],
  ...[op.get(PLACE), op.i32(4), op.add, op.load, op.set(END), op.i32(0), op.set(IS_IN)],
  ...[op.block, op.loop, op.get(AT), op.get(END), op.notLessUnsigned, op.brIf(1)],
  // Of the sixteen bytes, those before the end.
  ...[op.get(END), op.get(AT), op.sub, op.tee(LENGTH), op.i32(16), op.lessUnsigned, op.ifThen],
  ...[op.i32(1), op.get(LENGTH), op.shiftLeft, op.i32(1), op.sub, op.set(WORDS)],
  ...[op.orElse, op.i32(0xffff), op.set(WORDS), op.end],
  ...[op.get(AT), op.loadVector(0), op.tee(BYTES), op.bitmask, op.get(WORDS), op.and, op.ifThen],
  ...[op.get(LEFT_AT), op.get(ROW), op.store, op.get(LEFT_AT), op.i32(4), op.add, op.set(LEFT_AT)],
  ...[op.i32(0), op.set(IS_IN), op.br(2), op.end],
  ...[op.get(BYTES), ...within(48, 10), op.get(BYTES), op.everyByte(CASE_BIT), op.orVector, ...within(97, 26)],
  ...[op.orVector, op.bitmask, op.get(WORDS), op.and, op.set(WORDS)],
  // A bit where a word begins or has ended.
  ...[op.get(WORDS), op.i32(1), op.shiftLeft, op.get(IS_IN), op.or, op.get(WORDS), op.xor, op.i32(0xffff), op.and],
  ...[op.set(EDGES), op.block, op.loop, op.get(EDGES), op.isZero, op.brIf(1)],
  ...[op.get(AT), op.get(EDGES), op.trailingZeros, op.add, op.set(STOP)],
  ...[op.get(EDGES), op.get(EDGES), op.i32(1), op.sub, op.and, op.set(EDGES)],
  ...[op.get(IS_IN), op.ifThen, ...ADD, op.i32(0), op.set(IS_IN)],
  ...[op.orElse, op.get(STOP), op.set(START), op.i32(1), op.set(IS_IN), op.end],
  ...[op.br(0), op.end, op.end],
  ...[op.get(AT), op.i32(16), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...[op.get(IS_IN), op.ifThen, op.get(END), op.set(STOP), ...ADD, op.end],
  ...[op.get(ROW), op.i32(1), op.add, op.set(ROW), op.br(0), op.end, op.end],
  ...[op.get(LEFT_AT), op.i32(-1), op.store],
  ...[op.get(OUT_AT), op.i32(OUT), op.sub, op.i32(2), op.shiftRight],
]

/** Made when it is first asked for; null: there is none. */
let made: { readonly loop: MachineLoop; readonly bytes: Uint8Array; readonly words: Int32Array } | null | undefined

function loopOf() {
  if (made === undefined) {
    const loop = MachineLoop.of(1, LOCALS, CODE)
    const bytes = loop?.room(MEMORY_BYTES)
    made = loop === null || bytes === undefined ? null : { loop, bytes, words: new Int32Array(bytes.buffer) }
  }
  return made
}

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
  const made = loopOf()
  if (made === null) return false
  const { loop, bytes: memory, words } = made
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
    memory.set(bytes.subarray(base, offsets[end]!), TEXT)
    putOffsets(words, offsets, row, end)
    const count = loop.run(end - row)
    add(words.subarray(OUT / 4, OUT / 4 + count))
    for (let at = LEFT / 4; words[at] !== -1; at++) {
      const left = row + words[at]!
      addText(offsets[left]!, offsets[left + 1]!)
    }
    row = end
  }
  return true
}

/** Rows from `row` on that there is room for at once end there. */
function endOfPiece(offsets: Uint32Array, row: number, rowCount: number): number {
  const last = Math.min(rowCount, row + ROWS_MAX)
  const bytesEnd = offsets[row]! + TEXT_BYTES
  let end = row
  while (end < last && offsets[end + 1]! <= bytesEnd) end++
  return end
}

/** Where the texts of these rows begin and end in the memory. */
function putOffsets(words: Int32Array, offsets: Uint32Array, row: number, end: number): void {
  const shift = TEXT - offsets[row]!
  for (let each = row; each <= end; each++) words[OFFSETS / 4 + each - row] = offsets[each]! + shift
}
