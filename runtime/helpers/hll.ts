/** HyperLogLog with 2^14 registers (standard error 0.8 %), linear counting while small. Merging takes the greater register: exact. */
import type { Value } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { keyOf } from './compare.ts'

const PRECISION = 14
const REGISTERS = 1 << PRECISION
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS)

export interface Hll {
  readonly registers: Uint8Array
}

/** Two independent 32-bit hashes of a key: one picks the register, the other gives the rank. */
function hashKey(key: string | number): readonly [number, number] {
  const text = typeof key === 'number' ? `n${key}` : key
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (b >>> 15)
  }
  return [finalise(a), finalise(b ^ text.length)]
}

function finalise(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Register and rank packed in one number, per dictionary: a value is hashed once however many rows hold it. */
const packedByDictionary = new WeakMap<Dictionary, Uint32Array>()

function pack(value: Value): number {
  const [a, b] = hashKey(keyOf(value))
  return (a & (REGISTERS - 1)) * 64 + Math.clz32(b) + 1
}

function hllAddCode(hll: Hll, dictionary: Dictionary, code: number): void {
  let packed = packedByDictionary.get(dictionary)
  if (packed === undefined) {
    packed = Uint32Array.from(dictionary.values, value => (value == null ? 0 : pack(value)))
    packedByDictionary.set(dictionary, packed)
  }
  addPacked(hll, packed[code]!)
}

function addPacked({ registers }: Hll, packed: number): void {
  const register = packed >>> 6
  const rank = packed & 63
  if (rank > registers[register]!) registers[register] = rank
}

function hllMerge(into: Hll, from: Hll): void {
  for (const [register, rank] of from.registers.entries()) {
    if (rank > into.registers[register]!) into.registers[register] = rank
  }
}

function hllCount({ registers }: Hll): number {
  let sum = 0
  let zeros = 0
  for (const rank of registers) {
    sum += 2 ** -rank
    if (rank === 0) zeros++
  }
  const raw = (ALPHA * REGISTERS * REGISTERS) / sum
  return Math.round(raw <= 2.5 * REGISTERS && zeros > 0 ? REGISTERS * Math.log(REGISTERS / zeros) : raw)
}

export const HLL_HELPERS = {
  hllNew: (): Hll => ({ registers: new Uint8Array(REGISTERS) }),
  hllAddCode,
  hllAdd: (hll: Hll, value: Value): void => addPacked(hll, pack(value)),
  hllMerge,
  hllCount,
}
