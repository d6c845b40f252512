/** `parse`: the formats, their arguments, and where the fields go. */
import type { AstFieldRef, AstFormat, AstParse, CastType } from '../ast.ts'
import { type Columns, madeColumns, withColumns } from '../columns.ts'
import {
  dissectAsParse,
  patternAsParse,
  regexpAsParse,
  spathAsParse,
  unpackAsParse,
  withAsPattern,
} from '../foreign/stages.ts'
import { PARSE_FORMATS, parseFormat, printFormat, unknownWord } from '../formats.ts'
import type { Parser } from '../parser.ts'
import { printString } from '../strings.ts'
import { suggestName } from '../suggest.ts'
import { quoteField } from '../token.ts'
import {
  isNameToken,
  OPENS_NEVER,
  parseCommaList,
  parseFieldRef,
  parseName,
  reportRewritten,
  type StageSyntax,
} from './syntax.ts'

const CAST_TYPES: readonly CastType[] = ['int', 'float', 'string', 'bool', 'datetime', 'duration']
const ERROR_MODES = ['propagate', 'null', 'drop', 'strict'] as const

type ErrorMode = (typeof ERROR_MODES)[number]
type IntoField = NonNullable<AstParse['into']>[number]

export const parseSyntax: StageSyntax<AstParse> = {
  keyword: 'parse',
  form: 'parse <format>[(args)] [from f] [into (a [as type], …)] [prefix p] [on_error propagate|null|drop|strict]',
  summary: 'Extracts fields from a text field; never deletes a field and never overwrites one that has a value.',
  opens: new RegExp(`^\\s+(?:${PARSE_FORMATS.join('|')})\\b`, 'i'),
  foreign: [
    { words: ['rex'], opens: /^\s+(?:\w+\s*=\s*\S+\s+)*"/, rewrite: rexAsParse },
    { words: ['spath', 'unpack_json', 'json'], opens: OPENS_NEVER, rewrite: spathAsParse },
    { words: ['unpack_logfmt', 'logfmt', 'extract_kv'], opens: OPENS_NEVER, rewrite: unpackAsParse('logfmt') },
    { words: ['kv'], opens: OPENS_NEVER, rewrite: unpackAsParse('kv') },
    { words: ['regexp'], opens: OPENS_NEVER, rewrite: regexpAsParse },
    { words: ['pattern', 'extract'], isFunction: true, opens: OPENS_NEVER, rewrite: patternAsParse },
    { words: ['dissect'], opens: OPENS_NEVER, rewrite: dissectAsParse },
  ],
  parse(p, keyword) {
    if (/^[\w@.]+\s+with\s/i.test(p.text.slice(p.peek().start, p.peek().start + 100))) {
      reportRewritten(p, keyword, 'the pattern comes first, in quotes, with <name> where a field stands', withAsPattern)
    }
    const format = parseFormat(p)
    const clauses = parseClauses(p)
    return { kind: 'parse', span: p.spanFrom(keyword.start), ...format, ...clauses }
  },
  columns(stage, before) {
    const names = stage.into?.map(field => field.name) ?? fieldsOf(stage, before)
    const { prefix, onError } = stage
    const made = [
      ...names.map(name => (prefix ?? '') + name),
      ...(onError === null || onError === 'propagate' ? ERROR_FIELDS : []),
    ]
    const isOpen = before.isOpen || (stage.into === null && !isOfKnownFields(stage))
    return { ...withColumns(before, madeColumns(`parse ${stage.format}`, made)), isOpen }
  },
  print: printParse,
}

const ERROR_FIELDS = ['_error', '_error_detail']

/** Captures stand in the text; of other formats somebody else must know. */
function fieldsOf({ format, pattern, alternatives }: AstFormat, before: Columns): readonly string[] {
  const text = pattern?.text ?? ''
  switch (format) {
    case 'first_of':
      return [...new Set(alternatives.flatMap(each => fieldsOf(each, before)))]
    case 'regex':
      return [...text.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g)].map(match => match[1] ?? '')
    case 'pattern':
      return [...text.matchAll(/<([A-Za-z_@][\w.@-]*)>/g)].map(match => match[1] ?? '').filter(name => name !== '_')
    case 'grok':
      return [...text.matchAll(/%\{\w+:([\w.@-]+)(?::\w+)?\}/g)].map(match => match[1] ?? '')
    default:
      return before.formats?.get(format) ?? []
  }
}

function isOfKnownFields({ format }: AstFormat): boolean {
  return format === 'regex' || format === 'pattern' || format === 'grok'
}

interface Clauses {
  readonly from: AstFieldRef | null
  readonly into: readonly IntoField[] | null
  readonly prefix: string | null
  readonly onError: ErrorMode | null
}

/** In any order, each at most once. */
function parseClauses(p: Parser): Clauses {
  let clauses: Clauses = { from: null, into: null, prefix: null, onError: null }
  for (;;) {
    expectClauses(p, clauses)
    const token = p.peek()
    const word = token.kind === 'name' ? token.text.toLowerCase() : ''
    if (word === 'from' && clauses.from === null) {
      p.take('keyword')
      clauses = { ...clauses, from: parseFieldRef(p) }
    } else if (word === 'into' && clauses.into === null) {
      p.take('keyword')
      clauses = { ...clauses, into: parseInto(p) }
    } else if (word === 'prefix' && clauses.prefix === null) {
      p.take('keyword')
      clauses = { ...clauses, prefix: parsePrefix(p) }
    } else if (word === 'on_error' && clauses.onError === null) {
      p.take('keyword')
      clauses = { ...clauses, onError: parseErrorMode(p) }
    } else return clauses
  }
}

/** For whoever watches: those not given yet. */
function expectClauses(p: Parser, { from, into, prefix, onError }: Clauses): void {
  if (p.watch === null) return
  const words = { from, into, prefix, on_error: onError }
  for (const [word, given] of Object.entries(words)) if (given === null) p.expects({ kind: 'word', word })
}

function parseInto(p: Parser): readonly IntoField[] {
  const open = p.expectPunctuation('(', "'(' and the fields")
  const fields = parseCommaList(
    p,
    () => parseIntoField(p),
    token => isNameToken(token, 'as'),
  )
  p.expectClosing(')', open)
  return fields
}

function parseIntoField(p: Parser): IntoField {
  const { name, span } = parseName(p, 'a field')
  if (p.acceptWord('as') === null) return { name, type: null, span }
  if (p.watch !== null) p.expects({ kind: 'choice', what: 'type', of: CAST_TYPES })
  const token = p.peek()
  const type = CAST_TYPES.find(t => token.kind === 'name' && t === token.text.toLowerCase())
  if (type === undefined) {
    if (token.kind !== 'name') p.unexpected(CAST_TYPES, 'a type')
    const near = suggestName(token.text, CAST_TYPES)
    return unknownWord(p, token, 'E301', `there is no type '${token.text}'`, CAST_TYPES, near)
  }
  p.take('choice')
  return { name, type, span: p.spanFrom(span.start) }
}

function parsePrefix(p: Parser): string {
  if (p.watch !== null) p.expects({ kind: 'name' })
  const token = p.peek()
  const text = token.literal?.type === 'string' ? token.literal.value : isNameToken(token) ? token.text : null
  if (text === null) return p.unexpected(['a name', 'a string'], 'a prefix such as "http."')
  p.take()
  return text
}

function parseErrorMode(p: Parser): ErrorMode {
  if (p.watch !== null) p.expects({ kind: 'choice', what: 'on_error', of: ERROR_MODES })
  const token = p.peek()
  const mode = ERROR_MODES.find(m => m === token.text.toLowerCase())
  if (mode === undefined) {
    if (token.kind !== 'name') p.unexpected(ERROR_MODES, 'propagate, null, drop or strict')
    const near = suggestName(token.text, ERROR_MODES)
    return unknownWord(p, token, 'E301', `on_error does not know '${token.text}'`, ERROR_MODES, near)
  }
  p.take('choice')
  return mode
}

function printParse(stage: AstParse): string {
  const { from, into, prefix, onError } = stage
  const parts = [`parse ${printFormat(stage)}`]
  if (from !== null) parts.push(`from ${quoteField(from.name)}`)
  if (into !== null) parts.push(`into (${into.map(printInto).join(', ')})`)
  if (prefix !== null) parts.push(`prefix ${quoteField(prefix) === prefix ? prefix : printString(prefix)}`)
  if (onError !== null) parts.push(`on_error ${onError}`)
  return parts.join(' ')
}

function printInto(field: IntoField): string {
  return quoteField(field.name) + (field.type === null ? '' : ` as ${field.type}`)
}

/** SPL's `rex field=message "(?<user>\w+)"`. */
function rexAsParse(body: string): string | null {
  const field = /(?:^|\s)field\s*=\s*"?([\w@.]+)/.exec(body)?.[1]
  const pattern = /"((?:\\.|[^"\\])*)"\s*$/s.exec(body)?.[1]
  if (pattern === undefined || /\bmode\s*=/.test(body)) return null
  return `parse regex r"${pattern}"${field === undefined || field === '_raw' ? '' : ` from ${quoteField(field)}`}`
}
