/** Codes into a dictionary of the part, which is written once for all its blocks and known here by its number. */
import type { Dictionary, DictVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'

export function encodeDictionary(sink: ByteSink, codes: DictVector['codes'], dictionaryId: number): void {
  sink.varint(dictionaryId)
  const max = greatestOf(codes)
  if (max < 2 ** 8) {
    sink.u8(1)
    sink.array(codes instanceof Uint8Array ? codes : new Uint8Array(codes))
  } else if (max < 2 ** 16) {
    sink.u8(2)
    sink.array(codes instanceof Uint16Array ? codes : new Uint16Array(codes))
  } else {
    sink.u8(4)
    sink.array(codes)
  }
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
  const codes = readCodes(source, rowCount)
  const size = dictionary.values.length
  for (let row = 0; row < rowCount; row++)
    if (codes[row]! >= size) throw new RangeError(`code ${codes[row]} of ${size}`)
  return { kind: 'dict', rowCount, codes, dictionary }
}

function readCodes(source: ByteSource, rowCount: number): DictVector['codes'] {
  const width = source.u8()
  if (width === 1) return source.u8Array(rowCount)
  if (width === 2) return source.u16Array(rowCount)
  if (width === 4) return source.u32Array(rowCount)
  throw new RangeError(`codes ${width} bytes wide are not known`)
}
