/** Codes into a dictionary of the part, which is written once for all its blocks and known here by its number. */
import { sizeOf } from '../../dictionary.ts'
import type { Dictionary, DictVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'

export function encodeDictionary(
  sink: ByteSink,
  codes: DictVector['codes'],
  dictionaryId: number,
  max = greatestOf(codes),
): void {
  sink.varint(dictionaryId)
  const width = max < 2 ** 8 ? 1 : max < 2 ** 16 ? 2 : 4
  sink.u8(width)
  sink.lane(codes, width, max)
}

function greatestOf(codes: DictVector['codes']): number {
  let max = 0
  for (let row = 0; row < codes.length; row++) if (codes[row]! > max) max = codes[row]!
  return max
}

export function decodeDictionary(
  source: ByteSource,
  rowCount: number,
  dictionaryOf: (id: number) => Dictionary,
): DictVector {
  const dictionary = dictionaryOf(source.varint())
  const width = source.u8()
  if (width !== 1 && width !== 2 && width !== 4) throw new RangeError(`codes ${width} bytes wide are not known`)
  const greatest = source.greatest(width, rowCount)
  // There is nothing else in the chunk to be held along with them.
  const codes =
    width === 1 ? source.bytes(rowCount) : width === 2 ? source.u16View(rowCount) : source.u32Array(rowCount)
  const size = sizeOf(dictionary)
  if (greatest === null ? !areBelow(codes, size) : greatest >= size)
    throw new RangeError(`codes of more than ${size} values`)
  return { kind: 'dict', rowCount, codes, dictionary }
}

/**
 * Is each code below `size`? Four bytes of codes at once, where a bit is left to tell: a code more than there are carries into it. 2 M codes of one byte and
 * 2 M of two 7 → 3 ms.
 */
function areBelow(codes: DictVector['codes'], size: number): boolean {
  const width = codes.BYTES_PER_ELEMENT
  const most = 2 ** (8 * width - 1)
  if (size === 2 * most) return true
  const perWord = 4 / width
  // Before the first whole word: codes may be part of the chunk they were read from.
  const lead = (-codes.byteOffset & 3) / width
  const words = perWord > 1 && size <= most ? Math.floor((codes.length - lead) / perWord) : 0
  if (words <= 0) return areCodesBelow(codes, 0, codes.length, size)
  const each = width === 1 ? 0x01010101 : 0x00010001
  const whole = new Uint32Array(codes.buffer, codes.byteOffset + lead * width, words)
  if (!areWordsBelow(whole, (most - size) * each, most * each)) return false
  return areCodesBelow(codes, 0, lead, size) && areCodesBelow(codes, lead + words * perWord, codes.length, size)
}

function areCodesBelow(codes: DictVector['codes'], from: number, to: number, size: number): boolean {
  for (let row = from; row < to; row++) if (codes[row]! >= size) return false
  return true
}

/** @param missing  what each code of a word lacks of its highest bit, for which it is too large. @param highest  those bits */
function areWordsBelow(words: Uint32Array, missing: number, highest: number): boolean {
  const rest = ~highest
  let found = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    found |= word | ((word & rest) + missing)
  }
  return (found & highest) === 0
}
