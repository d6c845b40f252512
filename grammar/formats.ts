/**
 * The formats of `parse` as they are written: a name, the text some of them take, options, and for `first_of` other formats.
 * What they mean and make is said where they are read, in runtime/formats/.
 */
import type { AstFormat, AstFormatText, ParseFormat } from './ast.ts'
import { isPunctuation, isWord, type Parser } from './parser.ts'
import { isNameToken } from './stages/syntax.ts'
import { canBeRaw, printString } from './strings.ts'
import { suggestName } from './suggest.ts'
import type { Token } from './token.ts'

export interface FormatSyntax {
  /** An example of the text that follows the name; null: none does. */
  readonly text: string | null
  readonly options: readonly string[]
}

const BARE: FormatSyntax = { text: null, options: [] }

/** In the order of the reference. */
export const FORMAT_SYNTAX: Readonly<Record<ParseFormat, FormatSyntax>> = {
  auto: BARE,
  first_of: BARE,
  json: BARE,
  logfmt: BARE,
  kv: { text: null, options: ['sep', 'assign'] },
  csv: { text: null, options: ['columns', 'sep'] },
  syslog: BARE,
  clf: BARE,
  combined: BARE,
  nginx_error: BARE,
  apache_error: BARE,
  haproxy: BARE,
  w3c: { text: null, options: ['fields'] },
  cef: BARE,
  leef: BARE,
  docker: BARE,
  cri: BARE,
  klog: BARE,
  redis: BARE,
  postgres: BARE,
  mysql_slow: BARE,
  java_stack: BARE,
  pattern: { text: '"<ip> - <user>"', options: [] },
  grok: { text: '"%{IP:ip} %{WORD:method}"', options: [] },
  regex: { text: 'r"(?<user>\\w+)"', options: [] },
}

export const PARSE_FORMATS = Object.keys(FORMAT_SYNTAX) as readonly ParseFormat[]

type Option = AstFormat['options'][number]

export function parseFormat(p: Parser): AstFormat {
  const format = parseFormatName(p)
  if (format === 'first_of') return { format, pattern: null, options: [], alternatives: parseAlternatives(p) }
  const pattern = FORMAT_SYNTAX[format].text === null ? null : parseText(p, format)
  const options = isPunctuation(p.peek(), '(') ? parseOptions(p, format) : []
  return { format, pattern, options, alternatives: [] }
}

function parseFormatName(p: Parser): ParseFormat {
  if (p.watch !== null) p.expects({ kind: 'format' })
  const token = p.peek()
  const known = PARSE_FORMATS.find(f => token.kind === 'name' && f === token.text.toLowerCase())
  if (known !== undefined) {
    p.take('choice')
    return known
  }
  if (token.kind !== 'name') p.unexpected(PARSE_FORMATS, 'a format')
  const near = suggestName(token.text, PARSE_FORMATS)
  return unknownWord(p, token, 'E107', `there is no parse format '${token.text}'`, PARSE_FORMATS, near)
}

/** A word stands where only certain words may. */
export function unknownWord(
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

function parseAlternatives(p: Parser): readonly AstFormat[] {
  const open = p.expectPunctuation('(', "'(' and the formats to try")
  const alternatives = p.nested(open, () => {
    const formats = [parseFormat(p)]
    while (p.acceptPunctuation(',') !== null) formats.push(parseFormat(p))
    return formats
  })
  p.expectClosing(')', open)
  return alternatives
}

function parseText(p: Parser, format: ParseFormat): AstFormatText {
  if (p.watch !== null) p.expects({ kind: 'name' })
  const token = p.peek()
  if (token.literal?.type !== 'string') {
    if (isWord(token, 'from')) fieldFirst(p, format)
    return p.unexpected([`a string such as ${FORMAT_SYNTAX[format].text}`], `the ${format} in quotes`)
  }
  p.take()
  const text = token.literal.value
  const at = text === '' ? -1 : p.text.slice(token.start, token.end).indexOf(text)
  const textSpan = at < 0 ? null : { start: token.start + at, end: token.start + at + text.length }
  return { text, span: { start: token.start, end: token.end }, textSpan }
}

/** `parse regex from message r"…"`: the text is part of the format, and the field comes after it. */
function fieldFirst(p: Parser, format: ParseFormat): void {
  const written = /^from\s+([\w@.]+|`[^`]+`)\s+(r?"(?:\\.|[^"\\])*")/i.exec(p.text.slice(p.peek().start))
  if (written === null) return
  const span = { start: p.peek().start, end: p.peek().start + written[0].length }
  const text = `${written[2]} from ${written[1]}`
  p.fail({
    code: 'E301',
    message: `the ${format} stands before 'from'`,
    span,
    suggestion: text,
    edit: { span, text },
  })
}

function parseOptions(p: Parser, format: ParseFormat): readonly Option[] {
  const known = FORMAT_SYNTAX[format].options
  const open = p.take()
  const options: Option[] = []
  while (!p.atListEnd(')')) {
    if (p.watch !== null) for (const name of known) p.expects({ kind: 'option', name, doc: '' })
    const name = p.peek()
    if (!isNameToken(name)) p.unexpected(known.length === 0 ? ["')'"] : known, 'an option')
    if (!known.includes(name.text)) {
      const near = suggestName(name.text, known)
      unknownWord(p, name, 'E108', `parse ${format} has no option '${name.text}'`, known, near)
    }
    p.take('option')
    p.expectPunctuation('=', "'=' after the option")
    if (p.watch !== null) p.expects({ kind: 'name' })
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

export function printFormat({ format, pattern, options, alternatives }: AstFormat): string {
  if (format === 'first_of') return `first_of(${alternatives.map(printFormat).join(', ')})`
  const text = pattern === null ? '' : ` ${printText(pattern.text)}`
  if (options.length === 0) return format + text
  return `${format}${text}(${options.map(o => `${o.name}=${printString(o.value)}`).join(', ')})`
}

/** Raw when a plain string would need its backslashes doubled. */
function printText(text: string): string {
  const isRaw = text.includes('\\') && canBeRaw(text) && !/[\u0000-\u001f]/.test(text)
  return isRaw ? `r"${text}"` : printString(text)
}
