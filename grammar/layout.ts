/** Where a line that is too long is broken: behind commas, before `and`, `or` and `by`, inside of brackets only when there is no other way. */
import { lexToken } from './lexer.ts'

export interface Room {
  /** What stands before the text on its first line. */
  readonly lead: string
  /** What the lines after it begin with. */
  readonly indent: string
  readonly suffix: string
  readonly width: number
}

/** A stage; canonical text, so there is one space wherever it may be broken. */
export function brokenStage(text: string, room: Room): string {
  if (room.lead.length + text.length + room.suffix.length <= room.width) return room.lead + text + room.suffix
  const breaks = breaksOf(text)
  const deepest = Math.max(0, ...breaks.map(each => each.depth))
  for (let depth = 0; depth <= deepest; depth++) {
    const pieces = cut(
      text,
      breaks.filter(each => each.depth <= depth),
    )
    const fits = pieces.every(piece => room.indent.length + piece.text.length <= room.width)
    if (fits || depth === deepest) return filled(pieces, room)
  }
  return room.lead + text + room.suffix
}

/** `from` and search terms, which have a lexis of their own: broken between terms, never inside of a range. */
export function brokenTerms(text: string, room: Room): string {
  if (room.lead.length + text.length + room.suffix.length <= room.width) return room.lead + text + room.suffix
  const words = text.match(/(?:r?"(?:\\.|[^"\\])*"|`(?:[^`]|``)*`|[^\s"`])+/gs) ?? []
  const pieces: Piece[] = []
  let depth = 0
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] ?? ''
    // `not x`, `a or b`, `f in (…)` and lists stay together.
    const isJoined =
      depth > 0 || /^(?:from|not|or|and|in)$/i.test(before) || /^(?:in|not)$/i.test(word) || before.endsWith(',')
    const last = pieces.at(-1)
    if (last !== undefined && isJoined) pieces[pieces.length - 1] = { text: `${last.text} ${word}`, isOwnLine: false }
    else pieces.push({ text: word, isOwnLine: false })
    depth += bracketsOpened(word)
  }
  return filled(pieces, room)
}

function bracketsOpened(word: string): number {
  const bare = word.replace(/r?"(?:\\.|[^"\\])*"|`(?:[^`]|``)*`/gs, '')
  return (bare.match(/[([]/g)?.length ?? 0) - (bare.match(/[)\]]/g)?.length ?? 0)
}

interface Piece {
  readonly text: string
  /** Begins a line whatever room there is. */
  readonly isOwnLine: boolean
}

interface Break {
  readonly at: number
  readonly depth: number
  readonly isOwnLine: boolean
}

function breaksOf(text: string): Break[] {
  const breaks: Break[] = []
  let depth = 0
  /** The `and` of a between is no place to break. */
  const betweens: number[] = []
  for (let at = 0; ; ) {
    const token = lexToken(text, at)
    if (token.kind === 'end') return breaks
    const before = { at: token.start, depth, isOwnLine: false }
    if (token.kind === 'punctuation') {
      if (/^[([{]$/.test(token.text)) depth++
      else if (/^[)\]}]$/.test(token.text)) depth--
      else if (token.text === ',') breaks.push({ at: token.end, depth, isOwnLine: false })
    } else if (token.kind === 'keyword' && token.text === 'between') betweens.push(depth)
    else if (token.kind === 'keyword' && token.text === 'and' && betweens.at(-1) === depth) betweens.pop()
    else if (token.kind === 'keyword' && (token.text === 'and' || token.text === 'or')) breaks.push(before)
    else if (token.kind === 'name' && token.text === 'by' && depth === 0) breaks.push({ ...before, isOwnLine: true })
    at = Math.max(token.end, at + 1)
  }
}

function cut(text: string, breaks: readonly Break[]): Piece[] {
  const starts: readonly Break[] = [{ at: 0, depth: 0, isOwnLine: false }, ...breaks]
  return starts
    .map(({ at, isOwnLine }, index) => ({ text: text.slice(at, starts[index + 1]?.at).trim(), isOwnLine }))
    .filter(piece => piece.text !== '')
}

/** As many pieces on a line as fit. */
function filled(pieces: readonly Piece[], { lead, indent, suffix, width }: Room): string {
  const lines: string[] = []
  let line = lead + (pieces[0]?.text ?? '')
  for (const [index, { text, isOwnLine }] of pieces.slice(1).entries()) {
    const end = index === pieces.length - 2 ? suffix.length : 0
    if (!isOwnLine && line.length + 1 + text.length + end <= width) line += ` ${text}`
    else {
      lines.push(line)
      line = indent + text
    }
  }
  return [...lines, line + suffix].join('\n')
}
