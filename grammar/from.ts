/** The source of a pipeline: `from app-*, !app-debug, $let [-1h..now]`. Index names and time ranges have lexes of their own. */
import type { AstFrom, AstSourceName, AstTimePoint, AstTimeRange } from './ast.ts'
import { skipTrivia } from './lexer.ts'
import { parseDuration } from './literals.ts'
import { isPunctuation, type Parser } from './parser.ts'
import type { Span } from './source.ts'
import { parseTimePoint } from './time-point.ts'
import { quoteName, type Token } from './token.ts'

const SOURCE = /[A-Za-z0-9_@*?](?:[A-Za-z0-9_@.*?:-]*[A-Za-z0-9_@*?])?/y
const BARE_SOURCE = /^[A-Za-z0-9_@*?](?:[A-Za-z0-9_@.*?:-]*[A-Za-z0-9_@*?])?$/

/** `from` has been taken. */
export function parseFrom(p: Parser, keyword: Token): AstFrom {
  const sources = [parseSource(p)]
  while (p.acceptPunctuation(',') !== null) sources.push(parseSource(p))
  const ranges: AstTimeRange[] = []
  while (p.isPunctuation('[')) ranges.push(parseRange(p))
  return { kind: 'from', span: p.spanFrom(keyword.start), sources, ranges }
}

function parseSource(p: Parser): AstSourceName {
  const { at } = skipTrivia(p.text, p.offset)
  p.moveTo(at)
  const exclude = p.text[at] === '!'
  if (exclude) p.moveTo(at + 1)
  expectSource(p)
  const token = p.peek()
  if (token.kind === 'variable' || token.kind === 'quoted-name') {
    p.take()
    return sourceName(p, at, token.text, exclude, token.kind === 'variable')
  }
  if (token.literal?.type === 'string') {
    // Not `take`: whatever else is wrong with the string, it should not be one.
    p.moveTo(token.end)
    const span = { start: token.start, end: token.end }
    const text = BARE_SOURCE.test(token.literal.value) ? token.literal.value : quoteName(token.literal.value)
    const message = 'index names are not strings; they are written bare or in backticks'
    p.report({ code: 'E307', message, span, suggestion: text, edit: { span, text } })
    return sourceName(p, at, token.literal.value, exclude, false)
  }
  SOURCE.lastIndex = p.offset
  const pattern = SOURCE.exec(p.text)?.[0]
  if (pattern === undefined) return p.unexpected(['an index', "'*'"], 'an index')
  p.watch?.mark(p.offset, p.offset + pattern.length, 'source')
  p.moveTo(p.offset + pattern.length)
  return sourceName(p, at, pattern, exclude, false)
}

/** A name still being written may end in what no name ends in: `app-`. */
function expectSource(p: Parser): void {
  if (p.watch === null) return
  p.expects({ kind: 'source' })
  const written = /[\w@.*?:-]*/y
  written.lastIndex = p.offset
  p.expectsWord(p.offset, p.offset + (written.exec(p.text)?.[0].length ?? 0), 'source', { kind: 'source' })
}

function sourceName(p: Parser, start: number, pattern: string, exclude: boolean, isLet: boolean): AstSourceName {
  return { kind: 'source', span: p.spanFrom(start), pattern, exclude, isLet }
}

function parseRange(p: Parser): AstTimeRange {
  const open = p.take()
  const stop = p.text.slice(open.end).search(/[\]|\n]/)
  const end = stop === -1 ? p.text.length : open.end + stop
  const body = p.text.slice(open.end, end)
  const dots = body.indexOf('..')
  const bounds = dots === -1 ? [body, ''] : [body.slice(0, dots), body.slice(dots + 2)]
  const [from, to] = bounds.map((text, i) => {
    const start = open.end + (i === 0 ? 0 : dots + 2)
    if (i === 1 && dots === -1) return null
    const blank = text.length - text.trimStart().length
    p.expectsWord(start + blank, start + text.length, 'time-point', { kind: 'time-point' })
    if (i === 1) p.watch?.mark(start - 2, start, 'operator')
    if (text.trim() !== '') p.watch?.mark(start + blank, start + text.trimEnd().length, 'time')
    return parseBound(p, text, start)
  })
  p.moveTo(end)
  p.expectClosing(']', open)
  const span = p.spanFrom(open.start)
  if (!from && !to) p.fail({ code: 'E310', message: 'the time range is empty', span, expected: ['[-1h]'] })
  return { kind: 'time-range', span, from: from ?? null, to: to ?? null }
}

function parseBound(p: Parser, text: string, start: number): AstTimePoint | null {
  const written = text.trim()
  if (written === '') return null
  const from = start + text.indexOf(written)
  const span: Span = { start: from, end: from + written.length }
  const point = parseTimePoint(written, span)
  if (point !== null) return point
  const suggestion = correctedPoint(written)
  const shown = written.length > 40 ? `${written.slice(0, 37)}…` : written
  return p.fail({
    code: 'E310',
    message: `'${shown}' is no point in time`,
    span,
    expected: ['-1h', '@d', 'now', '2026-06-01T00:00:00Z'],
    ...(suggestion !== null && { suggestion, edit: { span, text: suggestion } }),
  })
}

/** `1h` and `last 1h` mean the past; an instant without a zone means UTC. */
function correctedPoint(written: string): string | null {
  const bare = written.replace(/^(?:last|past)\s+/i, '')
  if (parseDuration(bare) !== null && !bare.startsWith('-')) return `-${bare}`
  return parseTimePoint(`${written}Z`) === null ? null : `${written}Z`
}

export function printFrom(from: AstFrom): string {
  const ranges = from.ranges.map(r => {
    if (r.from === null) return ` [..${r.to?.text ?? ''}]`
    return r.to === null ? ` [${r.from.text}]` : ` [${r.from.text}..${r.to.text}]`
  })
  return `from ${from.sources.map(printSource).join(', ')}${ranges.join('')}`
}

function printSource(source: AstSourceName): string {
  const name = source.isLet
    ? `$${source.pattern}`
    : BARE_SOURCE.test(source.pattern)
      ? source.pattern
      : quoteName(source.pattern)
  return `${source.exclude ? '!' : ''}${name}`
}

/** Whether the text at the parser opens with `from` and a source, rather than with the word "from" as a search term. */
export function opensWithFrom(p: Parser): boolean {
  if (!p.isWord('from')) return false
  const second = p.peekSecond()
  if (second.kind === 'end' && p.watch?.isWriting === true) return second.start > p.peek().end
  return !isPunctuation(second, '=', '==', '!=', '<', '<=', '>', '>=', '|', ')') && second.kind !== 'end'
}
