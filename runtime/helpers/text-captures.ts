/** What a pattern captures in the texts of a column, found in their bytes (`byte-pattern.ts`) and cut out of them: no string is made. */
import type { Value } from '../../storage/value.ts'
import { PRESENT, type TextVector } from '../../storage/vector.ts'
import { bytePattern } from './byte-pattern.ts'
import { cutTexts, NULLED } from './cut-texts.ts'
import { compileRegex } from './regex.ts'
import { groupIndex } from './text.ts'
import { rowsWithLiteral } from './text-search.ts'

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
  const { bytes, offsets, rowCount, presence } = vector
  const starts = new Int32Array(rowCount).fill(NULLED)
  const ends = new Int32Array(rowCount)
  const index = groupIndex(regex.names, group)
  if (index === null) return cutTexts(vector, starts, ends)
  const count = selection === null ? rowCount : selectedCount
  // Few rows are quicker on their own than a search of the whole block.
  const isFew = count * 16 < rowCount
  const candidates = isFew ? null : rowsWithLiteral(vector, pattern, selection, selectedCount)
  for (let n = 0; n < count; n++) {
    const row = selection === null ? n : selection[n]!
    if (candidates !== null ? candidates[row] !== 1 : presence !== null && presence[row] !== PRESENT) continue
    const start = offsets[row]!
    if (!matcher.find(bytes, start, offsets[row + 1]!)) continue
    starts[row] = matcher.startOf(index) - start
    ends[row] = matcher.endOf(index) - start
  }
  return cutTexts(vector, starts, ends)
}

export const TEXT_CAPTURE_HELPERS = { textExtract }
