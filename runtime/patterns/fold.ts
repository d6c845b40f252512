/**
 * From the bottom up: drafts that agree everywhere but in one stretch become one, where the stretches show that something varies there:
 * many values, something masked, an optional part that holds nothing but masked things. This brings together what different numbers
 * of words had kept apart (`from <ip> (<host>) at` and `from <ip> () at`), and what an earlier split had cut at a name.
 *
 * Of the places found those with most drafts go first, ties by text; each draft is folded once a round.
 */
import { ANYTHING, type Cell, DELIMITER, MASKED, PURE, TEXT, type Vocabulary } from './cells.ts'
import { type Draft, joinDrafts, manyValues } from './split.ts'
import { insideOf, outsideOf, placesOf, type Row, rowOf, type Stretch } from './stretches.ts'

/** Of the longer of two drafts of different length, this share must be common. */
const COMMON_SHARE = 0.75
const ROUNDS_MAX = 16

export function fold(drafts: readonly Draft[], words: Vocabulary): readonly Draft[] {
  let rows = distinct(
    drafts.map(draft => rowOf(draft, words)),
    words,
  )
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const folded = foldOnce(rows, words)
    if (folded === null) break
    rows = distinct(folded, words)
  }
  return rows.map(row => row.draft)
}

function foldOnce(rows: readonly Row[], words: Vocabulary): readonly Row[] | null {
  const places = placesOf(rows)
    .filter(place => isVarying(place, words))
    .map(place => ({ place, key: keyOf(place[0]!, words) }))
    .sort((a, b) => b.place.length - a.place.length || (a.key < b.key ? -1 : 1))
  if (places.length === 0) return null
  const taken = new Set<Row>()
  const folded: Row[] = []
  for (const { place } of places) {
    if (place.some(({ row }) => taken.has(row))) continue
    for (const { row } of place) taken.add(row)
    folded.push(rowOf(joinPlace(place, words), words))
  }
  for (const row of rows) if (!taken.has(row)) folded.push(row)
  return folded
}

function keyOf({ row, start, length }: Stretch, words: Vocabulary): string {
  const texts = row.draft.cells.map(cell => words.texts[cell.token]!)
  return `${texts.slice(0, start).join('\n')}\0${texts.slice(start + length).join('\n')}`
}

/** Rows of the same tokens are one. */
function distinct(rows: readonly Row[], words: Vocabulary): readonly Row[] {
  const byHash = new Map<number, Row[][]>()
  for (const row of rows) {
    const hash = row.before.at(-1)!
    const others = byHash.get(hash)
    const same = others?.find(([first]) => isSame(first!.tokens, row.tokens))
    if (same !== undefined) same.push(row)
    else if (others !== undefined) others.push([row])
    else byHash.set(hash, [[row]])
  }
  return [...byHash.values()].flat().map(same => (same.length === 1 ? same[0]! : joinRows(same, words)))
}

function isSame(left: Int32Array, right: Int32Array): boolean {
  return left.length === right.length && left.every((token, at) => token === right[at])
}

function joinRows(rows: readonly Row[], words: Vocabulary): Row {
  return {
    ...rows[0]!,
    draft: joinDrafts(
      rows.map(row => row.draft),
      words,
    ),
  }
}

/** Do the stretches show that something varies here? */
function isVarying(place: readonly Stretch[], words: Vocabulary): boolean {
  const around = outsideOf(place[0]!)
  const textAround = around.filter(cell => words.is(cell, TEXT)).length
  if (textAround === 0) return false
  const stretches = place.map(insideOf)
  const hasPure = stretches.some(cells => cells.length === 1 && words.is(cells[0]!, PURE))
  if (stretches.every(cells => cells.length === 1)) {
    if (hasPure || stretches.every(cells => words.is(cells[0]!, MASKED))) return true
    return new Set(stretches.map(cells => cells[0]!.token)).size > manyValues(textAround)
  }
  const wordsAround = around.filter(cell => !words.is(cell, DELIMITER)).length
  if (wordsAround < 2) return false
  if (hasPure && place.every(stretch => isWholeWord(stretch, words))) return true
  return isOptional(stretches, hasPure, wordsAround, words)
}

/** From blank to blank, with none inside. */
function isWholeWord(stretch: Stretch, words: Vocabulary): boolean {
  const { row, start, length } = stretch
  const { cells } = row.draft
  const isBlank = (cell: Cell | undefined): boolean => cell === undefined || words.texts[cell.token] === ' '
  if (length === 0 || !isBlank(cells[start - 1]) || !isBlank(cells[start + length])) return false
  return !insideOf(stretch).some(isBlank)
}

/** A part that is masked or missing, or that stands where others have something masked, between enough that is common. */
function isOptional(
  stretches: readonly (readonly Cell[])[],
  hasPure: boolean,
  wordsAround: number,
  words: Vocabulary,
): boolean {
  if (!stretches.every(cells => cells.length === 0 || cells.some(cell => words.is(cell, MASKED)))) return false
  if (stretches.every(cells => cells.length > 0) && !isTight(stretches)) return false
  const textLimit = hasPure ? 1 : 0
  if (stretches.some(cells => cells.filter(cell => words.is(cell, TEXT)).length > textLimit)) return false
  const least = Math.min(...stretches.map(cells => cells.filter(cell => !words.is(cell, DELIMITER)).length))
  return wordsAround >= COMMON_SHARE * (wordsAround + Math.max(1, least))
}

/** Stretches that all begin or all end alike are wider than what differs. */
function isTight(stretches: readonly (readonly Cell[])[]): boolean {
  const [first] = stretches
  return (
    !stretches.every(cells => cells[0]!.token === first![0]!.token) &&
    !stretches.every(cells => cells.at(-1)!.token === first!.at(-1)!.token)
  )
}

function joinPlace(place: readonly Stretch[], words: Vocabulary): Draft {
  const { start } = place[0]!
  const isColumn = place.every(stretch => stretch.length === 1)
  const column = isColumn ? words.join(place.map(stretch => insideOf(stretch)[0]!)) : ANYTHING
  const outside = place.map(outsideOf)
  const cells = outside[0]!.map((_, at) => words.join(outside.map(row => row[at]!)))
  cells.splice(start, 0, column)
  return {
    cells: isColumn ? cells : withoutDoubles(cells, start, words),
    members: place.flatMap(({ row }) => row.draft.members),
    count: place.reduce((lines, { row }) => lines + row.draft.count, 0),
  }
}

/** Two things that vary side by side are one. */
function withoutDoubles(cells: readonly Cell[], at: number, words: Vocabulary): readonly Cell[] {
  const left = at > 0 && words.is(cells[at - 1]!, PURE) ? 1 : 0
  const right = at + 1 < cells.length && words.is(cells[at + 1]!, PURE) ? 1 : 0
  return [...cells.slice(0, at - left), cells[at]!, ...cells.slice(at + 1 + right)]
}
