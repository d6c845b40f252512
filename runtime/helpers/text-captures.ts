/** What a pattern captures in the texts of a column, found in their bytes (`byte-pattern.ts`) and copied from there: no string is made. */
import type { Value } from '../../storage/value.ts'
import type { DictVector, TextVector } from '../../storage/vector.ts'
import { bytePattern } from './byte-pattern.ts'
import { Captures } from './captures.ts'
import { pieceCaptures } from './piece-captures.ts'
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
): TextVector | DictVector {
  const regex = compileRegex(pattern)
  const matcher = bytePattern(pattern)
  if (typeof regex === 'string' || matcher === null) throw new Error(`${pattern} cannot be matched in bytes`)
  const { rowCount, pieces } = vector
  const count = selection === null ? rowCount : selectedCount
  // Few rows are quicker on their own than a search of the whole block.
  const isFew = count * 16 < rowCount
  const index = groupIndex(regex.names, group)
  const ofPieces =
    isFew || index === null ? null : pieceCaptures(vector, { pattern: matcher, group: index, name: pattern })
  if (ofPieces !== null) return ofPieces
  const held = isFew ? null : rowsWithLiteral(vector, pattern, selection, selectedCount)
  const rows = held ?? rowsWithText(vector, selection, count)
  // Of text that is held as pieces the rows that may match are put together.
  const isApart = pieces !== undefined && (isFew || held !== null) && isBetterApart(pieces, rows, CANDIDATE)
  const { bytes, offsets } = isApart ? pieces.textOf(rows, CANDIDATE) : vector
  const captures = new Captures(rowCount, rowCount)
  for (let row = 0, n = 0; index !== null && row < rowCount; row++) {
    if (rows[row] !== CANDIDATE) continue
    const own = isApart ? n++ : row
    if (matcher.find(bytes, offsets[own]!, offsets[own + 1]!, index))
      captures.add(row, bytes, matcher.start, matcher.end)
  }
  return captures.vector()
}

/** As those that tell of rows mark them. */
const CANDIDATE = 1

export const TEXT_CAPTURE_HELPERS = { textExtract }
