/** What one stage tells the parser, the printer and the reference about itself, and the clauses stages share. */
import type {
  AstAggregate,
  AstExpr,
  AstFieldPattern,
  AstFieldRef,
  AstFrom,
  AstInput,
  AstKey,
  AstStage,
} from '../ast.ts'
import type { Column, Columns } from '../columns.ts'
import { parseExpression } from '../expression.ts'
import { parseCall } from '../operand.ts'
import { isPunctuation, isWord, type Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printCall, printExpr } from '../print-expr.ts'
import type { Span } from '../source.ts'
import { quoteField, quoteName, type Token } from '../token.ts'
import { isStageWord } from './names.ts'
import type { StageOption } from './options.ts'

/** How another language spells the stage. */
export interface ForeignSpelling {
  readonly words: readonly string[]
  /** At the start of a query a word is this spelling only when the text after it matches; after a `|` always. */
  readonly opens: RegExp
  /** One of our functions has the name too: with a bracket right behind it the word is no stage. */
  readonly isFunction?: true
  /** `'keyword'`: only the word differs. Otherwise the whole stage in our spelling, or null when it cannot be told. */
  readonly rewrite: 'keyword' | ((body: string) => string | null)
}

export interface Expansion {
  readonly stages: readonly AstStage[]
  readonly reason: string
}

export interface StageSyntax<S extends AstStage> {
  readonly keyword: S['kind']
  /** The syntax line of the reference. */
  readonly form: string
  readonly summary: string
  /** At the start of a query the keyword opens the stage only when the text after it matches; else it is a search term. */
  readonly opens: RegExp
  /** A function has the name too, so `count() > 5` is a predicate. */
  readonly isFunction?: true
  readonly foreign?: readonly ForeignSpelling[]
  /** `name=value` clauses it takes. */
  readonly options?: readonly StageOption[]
  /** The keyword has been taken. */
  parse(p: Parser, keyword: Token): S
  print(stage: S): string
  /** The columns behind the stage; left out when they are those before it, or those of the expansion. */
  columns?(stage: S, before: Columns, columnsOf: (input: AstInput) => Columns): Columns
  /** For short forms: what the stage stands for, and why. */
  desugar?(stage: S): Expansion
  /** The same for one that reads the rows before it several times: `rows` is a `from` of the let that names them, and `stages` begin there. */
  desugarRows?(stage: S, rows: AstFrom): Expansion
}

/** Nothing, or the end of the stage. */
export const OPENS_ALONE = /^\s*(?:[|;]|$)/
/** The word is too ordinary to be anything but a search term where no `|` stands before it. */
export const OPENS_NEVER = /^(?!)/
/** A name in any spelling. */
export const OPENS_NAME = /^\s+[A-Za-z_@`]/

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A name that is given: after `as`, before `=`. */
export function parseName(p: Parser, what: string): { readonly name: string; readonly span: Span } {
  if (p.watch !== null) p.expects({ kind: 'name' })
  const token = p.peek()
  const span = { start: token.start, end: token.end }
  if (token.literal?.type === 'string') {
    // Not `take`: whatever else is wrong with the string, it should not be one.
    p.moveTo(token.end)
    const name = token.literal.value
    const text = quoteField(name)
    p.report({
      code: 'E307',
      message: 'names are not strings; they are written bare or in backticks',
      span,
      suggestion: text,
      edit: { span, text },
    })
    return { name, span }
  }
  if (token.kind === 'keyword') {
    const written = p.text.slice(token.start, token.end)
    const suggestion = quoteName(written)
    const message = `'${written}' is a reserved word; in backticks it is a name`
    p.fail({ code: 'E301', message, span, suggestion, edit: { span, text: suggestion } })
  }
  if (token.kind !== 'name' && token.kind !== 'quoted-name') p.unexpected([what], what)
  p.take()
  return { name: token.text, span }
}

export function parseFieldRef(p: Parser): AstFieldRef {
  if (p.watch !== null) p.expects({ kind: 'field', pattern: false })
  const { name, span } = parseColumnText(p) ?? parseName(p, 'a field')
  return { kind: 'field', span, name }
}

/** `avg(ms)` where a field stands: the column of that text. */
function parseColumnText(p: Parser): { readonly name: string; readonly span: Span } | null {
  const first = p.peek()
  if (first.kind !== 'name' || !isPunctuation(p.peekSecond(), '(')) return null
  const name = printCall(parseCall(p))
  return { name, span: p.spanFrom(first.start) }
}

/** Items between commas. What can only be a forgotten comma is reported as that. */
export function parseCommaList<T>(p: Parser, parseItem: () => T, startsItem: (token: Token) => boolean): T[] {
  const items = [parseItem()]
  for (;;) {
    if (p.acceptPunctuation(',') === null) {
      const token = p.peek()
      // Somebody still writing it may mean another word.
      if (p.watch?.isWriting === true && token.end === p.text.length) return items
      // The word of a stage is a forgotten `|` instead.
      if (p.atStageEnd() || !startsItem(token) || isStageWord(token.text)) return items
      const at = p.lastEnd
      p.report({
        code: 'E301',
        message: "a ',' is missing",
        span: { start: token.start, end: token.end },
        expected: ["','"],
        edit: { span: { start: at, end: at }, text: ',' },
      })
    }
    items.push(parseItem())
  }
}

export function isNameToken(token: Token, ...except: readonly string[]): boolean {
  return token.kind === 'quoted-name' || (token.kind === 'name' && !except.some(word => isWord(token, word)))
}

const PATTERN = /[A-Za-z_@*][A-Za-z0-9_@.*-]*/y

/** A field or, with a `*` outside of backticks, a pattern of fields. */
export function parseFieldPattern(p: Parser): AstFieldPattern {
  const start = p.peek().start
  PATTERN.lastIndex = start
  const pattern = PATTERN.exec(p.text)?.[0]
  if (p.watch !== null) p.expects({ kind: 'field', pattern: true })
  if (pattern?.includes('*')) {
    p.moveTo(start + pattern.length)
    p.watch?.mark(start, p.offset, 'field')
    return { pattern, isPattern: true, span: p.spanFrom(start) }
  }
  const { name, span } = parseColumnText(p) ?? parseName(p, 'a field')
  return { pattern: name, isPattern: false, span }
}

export function parseFieldPatterns(p: Parser, ...except: readonly string[]): AstFieldPattern[] {
  return parseCommaList(
    p,
    () => parseFieldPattern(p),
    token => isNameToken(token, ...except) || isPunctuation(token, '*'),
  )
}

export function printFieldPatterns(fields: readonly AstFieldPattern[]): string {
  return fields.map(f => (f.isPattern ? f.pattern : quoteField(f.pattern))).join(', ')
}

// ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The row count of `head`, `top`, …, or null when there is none. */
export function parseRowCount(p: Parser): number | null {
  const sign = p.acceptPunctuation('-')
  if (p.watch !== null) p.expects({ kind: 'count' })
  const token = p.peek()
  if (token.literal?.type === 'int' && sign === null && token.literal.value <= BigInt(Number.MAX_SAFE_INTEGER)) {
    p.take()
    return Number(token.literal.value)
  }
  if (sign === null && (token.literal === null || token.literal.type === 'string')) return null
  const span = { start: sign?.start ?? token.start, end: token.end }
  return p.fail({ code: 'E206', message: 'the number of rows is a whole number, 0 or more', span })
}

/** SPL's `limit=5` in front of the fields. */
export function parseForeignLimit(p: Parser): number | null {
  if (!p.isWord('limit') || !isPunctuation(p.peekSecond(), '=')) return null
  const start = p.take().start
  p.take()
  const count = parseRowCount(p)
  if (count === null) p.unexpected(['a number'], 'a number')
  const span = p.spanFrom(start)
  p.report({
    code: 'E307',
    message: 'the number stands alone here',
    span,
    suggestion: String(count),
    edit: { span, text: String(count) },
  })
  return count
}

/** The width of time bins: a duration or a variable. */
export function parseWidth(p: Parser): AstExpr {
  if (p.watch !== null) p.expects({ kind: 'duration' })
  return parseExpression(p, PRECEDENCE.postfix)
}

// ── Aggregates and keys ─────────────────────────────────────────────────────────────────────────────────────────────

export function parseAggregates(p: Parser): AstAggregate[] {
  const aggregates = parseCommaList(
    p,
    () => parseAggregate(p),
    token => isNameToken(token, 'by', 'having') && !opensGroupBy(p, token),
  )
  if (opensGroupBy(p, p.peek())) reportGroupBy(p)
  return aggregates
}

/** SQL's `group by`. */
function opensGroupBy(p: Parser, token: Token): boolean {
  return isWord(token, 'group') && isWord(p.peekSecond(), 'by')
}

function reportGroupBy(p: Parser): void {
  const { start, end } = p.take()
  const edit = { span: { start, end: p.peek().start }, text: '' }
  p.report({ code: 'E307', message: "the keys follow 'by' directly", span: { start, end }, suggestion: 'by', edit })
}

export function parseAggregate(p: Parser): AstAggregate {
  if (p.watch !== null) p.expects({ kind: 'aggregate' })
  const first = p.peek()
  if (isNameToken(first) && isPunctuation(p.peekSecond(), '=')) return parseAssignedAggregate(p)
  if (first.kind !== 'name' || isWord(first, 'by')) p.unexpected(['an aggregate'], 'an aggregate such as count()')
  const call = isPunctuation(p.peekSecond(), '(') ? parseCall(p, true) : parseBareAggregate(p)
  const alias = p.acceptWord('as') === null ? null : parseName(p, 'a column name').name
  const { name, nameSpan, args, where } = call
  return { span: p.spanFrom(first.start), name, nameSpan, args, where, alias }
}

/** KQL's `n = count()`. */
function parseAssignedAggregate(p: Parser): AstAggregate {
  const { name, span } = parseName(p, 'a column name')
  p.take()
  const aggregate = parseAggregate(p)
  const whole = p.spanFrom(span.start)
  const text = `${p.fixedText(aggregate.span.start, whole.end)} as ${quoteField(name)}`
  p.report({
    code: 'E307',
    message: "a column gets its name with 'as', after the aggregate",
    span: whole,
    ...(text.length <= 80 && { suggestion: text }),
    edit: { span: whole, text },
  })
  return { ...aggregate, span: whole, alias: name }
}

/** `count` for `count()`, `avg ms` for `avg(ms)`. */
function parseBareAggregate(p: Parser): Pick<AstAggregate, 'name' | 'nameSpan' | 'args' | 'where'> {
  const token = p.take('function')
  const nameSpan = { start: token.start, end: token.end }
  const argument = isNameToken(p.peek(), 'by', 'as') && !isPunctuation(p.peekSecond(), '(') ? p.take() : null
  const name = token.text.toLowerCase()
  const args: AstExpr[] = []
  if (argument !== null) {
    args.push({ kind: 'field', span: { start: argument.start, end: argument.end }, name: argument.text })
  }
  const suggestion = `${token.text}(${args.map(a => printExpr(a)).join('')})`
  const span = p.spanFrom(token.start)
  const message = `${token.text} is a function; its arguments stand in parentheses`
  p.report({ code: 'E306', message, span, suggestion, edit: { span, text: suggestion } })
  return { name, nameSpan, args, where: null }
}

export function printAggregates(aggregates: readonly AstAggregate[]): string {
  return aggregates.map(a => printCall(a) + printAlias(a.alias)).join(', ')
}

/** `by k, bin(_time, 5m) as t`; no keys without `by`. */
export function parseBy(p: Parser): AstKey[] {
  if (p.acceptWord('by') === null) return []
  return parseCommaList(
    p,
    () => parseKey(p),
    token => isNameToken(token, 'stats', 'as', 'having'),
  )
}

/** `by k` of a stage whose rows stay: keys make no columns, so none gets a name. */
export function parseUnnamedBy(p: Parser): AstKey[] {
  return parseBy(p).map(key => {
    if (key.alias === null) return key
    const text = p.text.slice(key.value.span.start, key.value.span.end)
    p.report({
      code: 'E301',
      message: `rows keep their own columns here, so a key gets no name`,
      span: key.span,
      suggestion: text,
      edit: { span: key.span, text },
    })
    return { ...key, alias: null }
  })
}

function parseKey(p: Parser): AstKey {
  if (p.watch !== null) p.expects({ kind: 'key' })
  const start = p.peek().start
  const value = parseExpression(p)
  const alias = p.acceptWord('as') === null ? null : parseName(p, 'a column name').name
  return { span: p.spanFrom(start), value, alias }
}

/** Behind the keyword the stage goes on as another language has it: reports the whole stage in ours, or that it is not ours. */
export function reportRewritten(
  p: Parser,
  keyword: Token,
  message: string,
  rewrite: (body: string) => string | null,
): never {
  const from = p.peek().start
  p.skipStage()
  const end = from + p.text.slice(from, p.peek().start).trimEnd().length
  const text = end - from > MAX_REWRITTEN ? null : rewrite(p.text.slice(from, end))
  const span = { start: keyword.start, end }
  return p.fail({
    code: 'E307',
    message,
    span: { start: keyword.start, end: keyword.end },
    ...(text !== null && text.length <= 80 && { suggestion: text }),
    ...(text !== null && { edit: { span, text } }),
  })
}

const MAX_REWRITTEN = 2000

/** With a space before it, so that no keys are no text. */
export function printBy(keys: readonly AstKey[]): string {
  if (keys.length === 0) return ''
  return ` by ${keys.map(k => printExpr(k.value) + printAlias(k.alias)).join(', ')}`
}

function printAlias(alias: string | null): string {
  return alias === null ? '' : ` as ${quoteField(alias)}`
}

/** The column a key comes out as: a bin of the event time keeps its name. */
export function keyColumn(key: AstKey): string {
  if (key.alias !== null) return key.alias
  const { value } = key
  if (value.kind === 'field') return value.name
  const subject = value.kind === 'call' && value.name === 'bin' ? value.args[0] : undefined
  return subject?.kind === 'field' ? subject.name : printExpr(value)
}

/** A key that is a field is still that field, whatever it is called now. */
export function keyAsColumn(key: AstKey, before: Columns): Column {
  const name = keyColumn(key)
  if (key.value.kind !== 'field') return { name, text: printExpr(key.value), source: null, isKey: true }
  const { name: field } = key.value
  return { ...(before.all.find(column => column.name === field) ?? { text: null, source: field }), name, isKey: true }
}

export function aggregateColumn(call: AstAggregate): Column {
  const text = printCall(call)
  return { name: call.alias ?? text, text, source: null }
}

/** A name that would be read as a clause of its stage is put in backticks. */
export function quoteClauseWord(text: string, ...clauses: readonly string[]): string {
  return clauses.includes(text.toLowerCase()) ? quoteName(text) : text
}

// ── Making trees ────────────────────────────────────────────────────────────────────────────────────────────────────

export function callExpr(name: string, args: readonly AstExpr[], span: Span): Extract<AstExpr, { kind: 'call' }> {
  return { kind: 'call', span, name, nameSpan: span, args, where: null, strict: false }
}

export function aggregate(name: string, args: readonly AstExpr[], span: Span): AstAggregate {
  return { span, name, nameSpan: span, args, where: null, alias: null }
}

/** `bin(_time, width)` as a key. */
export function timeBin(width: AstExpr, span: Span): AstKey {
  const time: AstExpr = { kind: 'field', span, name: '_time' }
  return { span, value: callExpr('bin', [time, width], span), alias: null }
}
