/**
 * Which rows of a text that is put together from other columns may hold what is looked for, found out from these columns and from what
 * stands between them: `_raw` of wide events is hundreds of megabytes to make, and its fields are a few values over and over. A row that
 * is marked may still not hold it (the condition itself decides); one that is not marked does not.
 *
 * Measured over 129,429 events of Windows, 319 MB of text, one thread: a word in one event in seven 2,210 → 290 ms, a substring that
 * stands nowhere 2,520 → 180 ms.
 */
import type { TextParts } from '../../storage/index.ts'
import type { Value } from '../../storage/value.ts'
import { type Dictionary, NULL, PRESENT, type Vector } from '../../storage/vector.ts'
import { hitsByHand, needleOf } from '../helpers/byte-search.ts'
import { TEXT_HELPERS } from '../helpers/text.ts'
import { markTexts } from '../helpers/text-search.ts'
import type { TextSearch } from '../program.ts'

/** Shorter texts stand nearly everywhere. */
const LENGTH_MIN = 3
/** Each is looked for in all columns. */
const LITERALS_MAX = 3

export class TextCandidates {
  readonly field: string
  readonly #searches: readonly TextSearch[]
  /** By text looked for, of the values of a dictionary whether they hold it. */
  readonly #tables = new Map<string, WeakMap<Dictionary, Uint8Array | null>>()

  /** Null where the rows that pass cannot be told this way: the searches are of one field. */
  static of(searches: readonly TextSearch[] | null): TextCandidates | null {
    const [first] = searches ?? []
    if (searches === null || first === undefined) return null
    return searches.every(({ field }) => field === first.field) ? new TextCandidates(first.field, searches) : null
  }

  private constructor(field: string, searches: readonly TextSearch[]) {
    this.field = field
    this.#searches = searches
  }

  /** By row 1 where the text may hold one of the searches; null: any may. */
  marks(parts: TextParts): Uint8Array | null {
    const fields = new Set(parts.templates.flatMap(template => template.fields))
    const marks = new Uint8Array(parts.chosen.length)
    for (const { text, ignoreCase } of this.#searches) {
      const literals = literalsWithin(text, parts)
      if (literals.length === 0) return null
      const found = literals.map((literal, at) => {
        const rows = at === 0 && this.#searches.length === 1 ? marks : new Uint8Array(marks.length)
        this.#mark(parts, fields, { literal, ignoreCase, isNumeric: NUMERIC.test(literal) }, rows)
        return rows
      })
      const [first, ...others] = found as [Uint8Array, ...Uint8Array[]]
      for (const other of others) for (let row = 0; row < first.length; row++) first[row]! &= other[row]!
      if (first !== marks) for (let row = 0; row < marks.length; row++) marks[row]! |= first[row]!
    }
    return marks
  }

  #mark(parts: TextParts, fields: ReadonlySet<string>, search: Literal, marks: Uint8Array): void {
    markTemplates(parts, search, marks)
    for (const field of fields) {
      const column = parts.columnOf(field)
      if (column === null) continue
      if ('kind' in column) this.#markColumn(column, search, marks, fields)
      else {
        const found = new Uint8Array(column.rows.length)
        this.#markColumn(column.values, search, found, fields)
        for (let at = 0; at < found.length; at++) if (found[at] === 1) marks[column.rows[at]!] = 1
      }
    }
  }

  #markColumn(vector: Vector, search: Literal, marks: Uint8Array, fields: ReadonlySet<string>): void {
    switch (vector.kind) {
      case 'const':
        if (holds(vector.value, search)) marks.fill(1)
        return
      case 'dict': {
        const { codes, dictionary } = vector
        const table = this.#tableOf(dictionary, search)
        if (table !== null) for (let row = 0; row < marks.length; row++) marks[row]! |= table[codes[row]!]!
        return
      }
      case 'text':
        markTexts(vector, search.literal, search.ignoreCase, marks, fields)
        markNulls(vector.presence, search, marks)
        return
      case 'number': {
        const { values, presence } = vector
        if (search.isNumeric)
          for (let row = 0; row < marks.length; row++)
            if (marks[row] === 0 && isPresent(presence, row) && holds(values[row]!, search)) marks[row] = 1
        markNulls(presence, search, marks)
        return
      }
      case 'bool': {
        const { values, presence } = vector
        const isHeld = [holds(false, search), holds(true, search)]
        for (let row = 0; row < marks.length; row++)
          if (isPresent(presence, row) && isHeld[values[row]!]) marks[row] = 1
        markNulls(presence, search, marks)
        return
      }
      case 'any':
        for (let row = 0; row < marks.length; row++) if (holds(vector.values[row], search)) marks[row] = 1
        return
      case 'time':
      case 'duration':
        // JSON has neither: no text is made of them.
        return
    }
  }

  /** By code 1 where the value holds it; null: none does. Asked once for all blocks of a part. */
  #tableOf(dictionary: Dictionary, search: Literal): Uint8Array | null {
    const key = `${search.ignoreCase} ${search.literal}`
    let tables = this.#tables.get(key)
    if (tables === undefined) this.#tables.set(key, (tables = new WeakMap()))
    let table = tables.get(dictionary)
    if (table === undefined) {
      table = longestText(dictionary) < search.literal.length ? null : tableOf(dictionary, search)
      tables.set(dictionary, table)
    }
    return table
  }
}

function tableOf({ values }: Dictionary, search: Literal): Uint8Array | null {
  const table = new Uint8Array(values.length)
  let isAny = false
  for (let code = 0; code < values.length; code++) {
    if (!holds(values[code], search)) continue
    table[code] = 1
    isAny = true
  }
  return isAny ? table : null
}

const longest = new WeakMap<Dictionary, number>()

/** How long the longest value is; what is no text may be longer than any. */
function longestText(dictionary: Dictionary): number {
  let length = longest.get(dictionary)
  if (length === undefined) {
    length = 0
    for (const value of dictionary.values)
      length = Math.max(
        length,
        typeof value === 'string' ? value.length : value === undefined ? 0 : Number.POSITIVE_INFINITY,
      )
    longest.set(dictionary, length)
  }
  return length
}

/** What a value must hold. */
interface Literal {
  readonly literal: string
  readonly ignoreCase: boolean
  /** Might it stand in a number? */
  readonly isNumeric: boolean
}

const isPresent = (presence: Uint8Array | null, row: number): boolean => presence === null || presence[row] === PRESENT

function markNulls(presence: Uint8Array | null, search: Literal, marks: Uint8Array): void {
  if (presence === null || !holds(null, search)) return
  for (let row = 0; row < marks.length; row++) if (presence[row] === NULL) marks[row] = 1
}

/** Nothing else stands in a number. */
const NUMERIC = /^[-+.\deE]+$/

/** Of the JSON of a value, but for what escapes add to a string. */
function holds(value: Value, { literal, ignoreCase, isNumeric }: Literal): boolean {
  if (value === undefined) return false
  // Said without looking: no letter of ASCII comes of less than a character, and an id of a trace is longer than 100,000 users.
  if (typeof value === 'string' && value.length < literal.length) return false
  if (typeof value === 'number' && !isNumeric) return false
  const text = typeof value === 'object' && value !== null ? jsonOf(value) : String(value)
  const { contains, containsCs } = TEXT_HELPERS
  return text === null || (ignoreCase ? contains : containsCs)(text, literal) === true
}

/** Null: it has integers that `JSON.stringify` cannot write. */
function jsonOf(value: object): string | null {
  let isWritten = true
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'bigint') return member
    isWritten = false
    return null
  })
  return isWritten ? text : null
}

type Template = TextParts['templates'][number]

const piecesBeyondAscii = new WeakMap<Template, readonly string[]>()

/** Pieces in which a character may fold to a letter of ASCII. */
function beyondAscii(template: Template): readonly string[] {
  let texts = piecesBeyondAscii.get(template)
  if (texts === undefined) {
    const beyond = template.pieces.filter(piece => piece.some(byte => byte > 127))
    texts = beyond.map(piece => Buffer.from(piece).toString('utf8'))
    piecesBeyondAscii.set(template, texts)
  }
  return texts
}

/** Rows whose template holds it outside of the values, and of the texts that have no template those that hold it. */
function markTemplates({ templates, chosen, kept }: TextParts, search: Literal, marks: Uint8Array): void {
  const needle = needleOf(search.literal, search.ignoreCase)
  const inKept = new Uint8Array(kept.rowCount)
  markTexts(kept, search.literal, search.ignoreCase, inKept)
  const inTemplate = templates.map(
    template =>
      template.pieces.some(piece => hitsByHand(piece, needle).length > 0) ||
      beyondAscii(template).some(text => holds(text, search)),
  )
  if (!inKept.includes(1) && !inTemplate.includes(true)) return
  for (let row = 0, at = 0; row < marks.length; row++) {
    const number = chosen[row]!
    if (number === 0 ? inKept[at++] === 1 : inTemplate[number - 1]) marks[row] = 1
  }
}

/**
 * The parts of a text of which each, wherever the text stands in one that is put together, stands within one value or one piece: they have
 * none of the characters pieces begin and end with where they meet values, and nothing that may come of an escape.
 */
export function literalsWithin(text: string, { templates }: Pick<TextParts, 'templates'>): readonly string[] {
  const edges = new Set(['"', '\\'])
  for (const { pieces } of templates) {
    for (const [at, piece] of pieces.entries()) {
      if (piece.length === 0) return []
      if (at > 0) edges.add(String.fromCharCode(piece[0]!))
      if (at < pieces.length - 1) edges.add(String.fromCharCode(piece.at(-1)!))
    }
  }
  const literals: string[] = []
  let run = ''
  for (const character of [...text, '"']) {
    // Folding beyond ASCII looks at what stands around.
    if (character > '\x7f' || edges.has(character)) {
      const literal = WITHIN_ESCAPE.test(run) ? '' : run.replace(END_OF_ESCAPE, '')
      if (literal.length >= LENGTH_MIN) literals.push(literal)
      run = ''
    } else run += character
  }
  return literals.sort((a, b) => b.length - a.length).slice(0, LITERALS_MAX)
}

/** A string's `\n` has an `n` in JSON that it has not itself, and `\u001b` has five: with the first of them a run may begin. */
const END_OF_ESCAPE = /^(?:u?00[01][\da-f]|0?[01][\da-f]|[\da-fnrt])/i
const WITHIN_ESCAPE = /^u?0?0?[01]?[\da-f]?$/i
