/** `parse`: the formats, their arguments, and where the fields go. */
import type { AstFieldRef, AstParse, CastType, ParseFormat } from '../ast.ts'
import type { Parser } from '../parser.ts'
import { isPunctuation } from '../parser.ts'
import { canBeRaw, printString } from '../strings.ts'
import { suggestName } from '../suggest.ts'
import { quoteField, type Token } from '../token.ts'
import { isNameToken, parseCommaList, parseFieldRef, parseName, type StageSyntax } from './syntax.ts'

export const PARSE_FORMATS: readonly ParseFormat[] = ['json', 'logfmt', 'kv', 'regex', 'pattern', 'combined']
const CAST_TYPES: readonly CastType[] = ['int', 'float', 'string', 'bool', 'datetime', 'duration']
const ERROR_MODES = ['propagate', 'null', 'drop', 'strict'] as const
const KV_OPTIONS = ['sep', 'assign']

type ErrorMode = (typeof ERROR_MODES)[number]
type IntoField = NonNullable<AstParse['into']>[number]
type Option = AstParse['options'][number]

export const parseSyntax: StageSyntax<AstParse> = {
  keyword: 'parse',
  form: 'parse <format>[(args)] [from f] [into (a [as type], …)] [prefix p] [on_error propagate|null|drop|strict]',
  summary: 'Extracts fields from a text field; never deletes a field and never overwrites one that has a value.',
  opens: /^\s+(?:json|logfmt|kv|regex|pattern|combined)\b/i,
  foreign: [{ words: ['rex'], opens: /^\s+(?:\w+\s*=\s*\S+\s+)*"/, rewrite: rexAsParse }],
  parse(p, keyword) {
    const format = parseFormat(p)
    const pattern = format === 'regex' || format === 'pattern' ? parsePattern(p, format) : null
    const options = isPunctuation(p.peek(), '(') ? parseOptions(p, format) : []
    const clauses = parseClauses(p)
    return { kind: 'parse', span: p.spanFrom(keyword.start), format, pattern, options, ...clauses }
  },
  print: printParse,
}

function parseFormat(p: Parser): ParseFormat {
  const token = p.peek()
  const known = PARSE_FORMATS.find(f => token.kind === 'name' && f === token.text.toLowerCase())
  if (known !== undefined) {
    p.take()
    return known
  }
  if (token.kind !== 'name') p.unexpected(PARSE_FORMATS, 'a format')
  const near = suggestName(token.text, PARSE_FORMATS)
  return unknownWord(p, token, 'E107', `there is no parse format '${token.text}'`, PARSE_FORMATS, near)
}

function unknownWord(
  p: Parser,
  token: Token,
  code: 'E107' | 'E108' | 'E301',
  message: string,
  expected: readonly string[],
  near: string | null,
): never {
  const span = { start: token.start, end: token.end }
  return p.fail({
    code,
    message,
    span,
    expected,
    ...(near !== null && { suggestion: near, edit: { span, text: near } }),
  })
}

function parsePattern(p: Parser, format: ParseFormat): { readonly text: string; readonly span: AstParse['span'] } {
  const token = p.peek()
  if (token.literal?.type !== 'string') {
    const example = format === 'regex' ? 'r"(?<user>\\w+)"' : '"<ip> - <user>"'
    return p.unexpected([`a string such as ${example}`], `the ${format} in quotes`)
  }
  p.take()
  return { text: token.literal.value, span: { start: token.start, end: token.end } }
}

function parseOptions(p: Parser, format: ParseFormat): readonly Option[] {
  const open = p.take()
  const options: Option[] = []
  while (!p.isPunctuation(')') && !p.atStageEnd()) {
    const name = p.peek()
    if (!isNameToken(name)) p.unexpected(['an option'], 'an option')
    if (format !== 'kv' || !KV_OPTIONS.includes(name.text)) {
      const near = format === 'kv' ? suggestName(name.text, KV_OPTIONS) : null
      const known = format === 'kv' ? KV_OPTIONS : []
      unknownWord(p, name, 'E108', `parse ${format} has no option '${name.text}'`, known, near)
    }
    p.take()
    p.expectPunctuation('=', "'=' after the option")
    const value = p.peek()
    if (value.literal?.type !== 'string') p.unexpected(['a string'], `a string such as ${name.text}="; "`)
    p.take()
    const span = p.spanFrom(name.start)
    options.push({ name: name.text, value: value.literal?.type === 'string' ? value.literal.value : '', span })
    if (p.acceptPunctuation(',') === null) break
  }
  p.expectClosing(')', open)
  return options
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
    const token = p.peek()
    const word = token.kind === 'name' ? token.text.toLowerCase() : ''
    if (word === 'from' && clauses.from === null) {
      p.take()
      clauses = { ...clauses, from: parseFieldRef(p) }
    } else if (word === 'into' && clauses.into === null) {
      p.take()
      clauses = { ...clauses, into: parseInto(p) }
    } else if (word === 'prefix' && clauses.prefix === null) {
      p.take()
      clauses = { ...clauses, prefix: parsePrefix(p) }
    } else if (word === 'on_error' && clauses.onError === null) {
      p.take()
      clauses = { ...clauses, onError: parseErrorMode(p) }
    } else return clauses
  }
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
  const token = p.peek()
  const type = CAST_TYPES.find(t => token.kind === 'name' && t === token.text.toLowerCase())
  if (type === undefined) {
    if (token.kind !== 'name') p.unexpected(CAST_TYPES, 'a type')
    const near = suggestName(token.text, CAST_TYPES)
    return unknownWord(p, token, 'E301', `there is no type '${token.text}'`, CAST_TYPES, near)
  }
  p.take()
  return { name, type, span: p.spanFrom(span.start) }
}

function parsePrefix(p: Parser): string {
  const token = p.peek()
  const text = token.literal?.type === 'string' ? token.literal.value : isNameToken(token) ? token.text : null
  if (text === null) return p.unexpected(['a name', 'a string'], 'a prefix such as "http."')
  p.take()
  return text
}

function parseErrorMode(p: Parser): ErrorMode {
  const token = p.peek()
  const mode = ERROR_MODES.find(m => m === token.text.toLowerCase())
  if (mode === undefined) {
    if (token.kind !== 'name') p.unexpected(ERROR_MODES, 'propagate, null, drop or strict')
    const near = suggestName(token.text, ERROR_MODES)
    return unknownWord(p, token, 'E301', `on_error does not know '${token.text}'`, ERROR_MODES, near)
  }
  p.take()
  return mode
}

function printParse({ format, pattern, options, from, into, prefix, onError }: AstParse): string {
  const parts = [`parse ${format}`]
  if (pattern !== null) parts.push(pattern.text.includes('\\') ? printPattern(pattern.text) : printString(pattern.text))
  if (options.length > 0) parts[0] += `(${options.map(o => `${o.name}=${printString(o.value)}`).join(', ')})`
  if (from !== null) parts.push(`from ${quoteField(from.name)}`)
  if (into !== null) parts.push(`into (${into.map(printInto).join(', ')})`)
  if (prefix !== null) parts.push(`prefix ${quoteField(prefix) === prefix ? prefix : printString(prefix)}`)
  if (onError !== null) parts.push(`on_error ${onError}`)
  return parts.join(' ')
}

/** Raw when a plain string would need its backslashes doubled. */
function printPattern(text: string): string {
  return canBeRaw(text) && !/[\u0000-\u001f]/.test(text) ? `r"${text}"` : printString(text)
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
