/** What a pattern captures in the texts of a column, found in their bytes (`byte-pattern.ts`) and copied from there: no string is made. */
import type { Value } from '../../storage/value.ts'
import { NULL, PRESENT, type TextVector } from '../../storage/vector.ts'
import { bytePattern } from './byte-pattern.ts'
import { lentBytes, lentWords } from './lent.ts'
import { compileRegex } from './regex.ts'
import { groupIndex } from './text.ts'
import { isBetterApart, rowsWithLiteral, rowsWithText } from './text-search.ts'

/** What the first match captured, by row; null without one. @param pattern  one that `bytePattern` reads */
function textExtract(
  vector: TextVector,
  pattern: string,
  group: Value,
  selection: Uint32Array | null,
  selectedCount: number,
): TextVector {
  const regex = compileRegex(pattern)
  const matcher = bytePattern(pattern)
  if (typeof regex === 'string' || matcher === null) throw new Error(`${pattern} cannot be matched in bytes`)
  const { rowCount, pieces } = vector
  const count = selection === null ? rowCount : selectedCount
  // Few rows are quicker on their own than a search of the whole block.
  const isFew = count * 16 < rowCount
  const held = isFew ? null : rowsWithLiteral(vector, pattern, selection, selectedCount)
  const rows = held ?? rowsWithText(vector, selection, count)
  // Of text that is held as pieces the rows that may match are put together.
  const isApart = pieces !== undefined && (isFew || held !== null) && isBetterApart(pieces, rows, CANDIDATE)
  const { bytes, offsets } = isApart ? pieces.textOf(rows, CANDIDATE) : vector
  const found = new Captures(rowCount)
  const index = groupIndex(regex.names, group)
  for (let row = 0, n = 0; index !== null && row < rowCount; row++) {
    if (rows[row] === CANDIDATE) {
      const own = isApart ? n++ : row
      if (matcher.find(bytes, offsets[own]!, offsets[own + 1]!))
        found.add(row, bytes, matcher.startOf(index), matcher.endOf(index))
    }
    found.end(row)
  }
  return found.vector()
}

/** As those that tell of rows mark them. */
const CANDIDATE = 1

const LENGTH_MIN = 4096
/** Of what was captured in the block before: much the same is in this one. */
let lastLength = LENGTH_MIN

/** A column of texts, row by row; those that are not added are null. */
class Captures {
  readonly #rowCount: number
  readonly #presence: Uint8Array
  readonly #offsets: Uint32Array
  #bytes: Uint8Array
  #length = 0

  constructor(rowCount: number) {
    this.#rowCount = rowCount
    this.#presence = lentBytes(rowCount).fill(NULL)
    this.#offsets = lentWords(rowCount + 1)
    this.#offsets[0] = 0
    this.#bytes = lentBytes(lastLength)
  }

  add(row: number, bytes: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#bytes.length) {
      const grown = lentBytes(2 * length)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    for (let from = start, to = this.#length; from < end; ) this.#bytes[to++] = bytes[from++]!
    this.#length = length
    this.#presence[row] = PRESENT
  }

  end(row: number): void {
    this.#offsets[row + 1] = this.#length
  }

  vector(): TextVector {
    lastLength = Math.max(LENGTH_MIN, this.#length)
    const bytes = this.#bytes.subarray(0, this.#length)
    return { kind: 'text', rowCount: this.#rowCount, bytes, offsets: this.#offsets, presence: this.#presence }
  }
}

export const TEXT_CAPTURE_HELPERS = { textExtract }
