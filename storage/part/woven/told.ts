/**
 * What a first search of woven text has to know of its codes, told by the chunk behind its literals: a walk over the codes to find it out took 75 of the
 * 230 ms in which a phrase was looked for in 2 M messages that were just read. A chunk of 65,536 messages becomes 2 % larger by it. Chunks without it
 * (of older writers, or of one without WebAssembly) are walked.
 */
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, writeIntegers } from '../encodings/lane.ts'
import { ROWS_APART } from './code.ts'
import { PAIRS, walkCodes } from './code-walk.ts'
import { Neighbours } from './neighbours.ts'
import type { RowPlaces } from './unweave.ts'
import type { Weave } from './woven.ts'

export interface Told {
  readonly neighbours: Neighbours
  /** Null: not told, or of rows otherwise apart. */
  readonly places: RowPlaces | null
}

/** Nothing is written where a walk finds nothing. */
export function writeTold(
  sink: ByteSink,
  rowCount: number,
  { codes, literals, shortCodes }: Pick<Weave, 'codes' | 'literals' | 'shortCodes'>,
): void {
  const walk = walkCodes(codes, shortCodes, rowCount, literals.length)
  if (walk === null) return
  const { bits, isLocal, counts } = Neighbours.found(walk)
  sink.u8(isLocal ? 1 : 0)
  sink.array(bits)
  writeIntegers(sink, counts)
  sink.u8(walk.places === null ? 0 : ROWS_APART)
  if (walk.places === null) return
  const count = placeCount(rowCount)
  for (const which of [0, 1]) {
    const steps = new Uint32Array(count)
    for (let at = 0, last = 0; at < count; at++) {
      const place = walk.places[2 * at + which]!
      steps[at] = place - last
      last = place
    }
    writeIntegers(sink, steps)
  }
}

/** But the first. */
const placeCount = (rowCount: number): number => Math.ceil(rowCount / ROWS_APART)

/** @throws {RangeError} when they are not the places of so many bytes */
export function readTold(source: ByteSource, rowCount: number, codeBytes: number, literalBytes: number): Told {
  const isLocal = source.u8() === 1
  const bits = source.u32Array(PAIRS / 32)
  const counts = Uint32Array.from(readIntegers(source, 256))
  const neighbours = new Neighbours(bits, { isLocal, counts })
  if (source.u8() !== ROWS_APART) return { neighbours, places: null }
  const codes = summed(source, placeCount(rowCount), codeBytes)
  return { neighbours, places: { codes, literals: summed(source, placeCount(rowCount), literalBytes) } }
}

function summed(source: ByteSource, count: number, end: number): Uint32Array {
  const steps = readIntegers(source, count)
  const places = new Uint32Array(count + 1)
  let place = 0
  for (let at = 0; at < count; at++) {
    if (!(steps[at]! >= 0)) throw new RangeError('places that go back')
    place += steps[at]!
    places[at + 1] = place
  }
  if (place !== end) throw new RangeError(`places up to ${place} of ${end} bytes`)
  return places
}
