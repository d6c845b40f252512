/**
 * The state every parsing function shares: where in the text it stands, what it has found wrong, how deep it is.
 * A function that cannot go on calls `fail`, which unwinds to the stage; everything else is reported and survived.
 */
import type { AstExpr } from './ast.ts'
import { applyFixes, type Diagnostic, type DiagnosticCode } from './diagnostics.ts'
import { describeToken, lexToken } from './lexer.ts'
import type { SourceText, Span } from './source.ts'
import type { Token } from './token.ts'
import type { Expectation, Lexis, Watch, WordRole } from './watch.ts'

/** Brackets, calls and prefix operators inside one another. */
export const MAX_DEPTH = 200
/** The tallest tree: a chain of operators is as tall as it is long. What walks the tree may recurse without fear. */
export const MAX_HEIGHT = 1000
/** Beyond this many errors nobody reads on. */
const MAX_DIAGNOSTICS = 50

/** Unwinds to the stage; its diagnostic has been reported. */
export class StageFailure extends Error {}
/** Unwinds to `parse`: the rest of the text is not worth reading. */
export class QueryFailure extends Error {}

/** Thrown again and again: taking down where would cost more than the parsing, and nobody asks. */
const STAGE_FAILURE = new StageFailure()
export const QUERY_FAILURE = new QueryFailure()

export interface Checkpoint {
  readonly at: number
  readonly lastEnd: number
  readonly diagnostics: number
  readonly depth: number
}

export class Parser {
  readonly source: SourceText
  readonly diagnostics: Diagnostic[] = []
  /** Height of the expression parsed last; a second result of the expression functions. */
  height = 0
  /** Stages read so far, in all pipelines. */
  stageCount = 0
  #at = 0
  #lastEnd = 0
  #depth = 0
  /** Depth where the innermost pipeline began: errors in it do not forget what is around it. */
  #base = 0
  #pipelines = 0
  #ahead: Token | null = null
  #seen = new Set<string>()

  /** Who listens: completion and highlighting; null for everybody else. */
  readonly watch: Watch | null

  constructor(source: SourceText, watch: Watch | null = null) {
    this.source = source
    this.watch = watch
  }

  get text(): string {
    return this.source.text
  }

  /** Where the next token is looked for: the end of the last one taken. */
  get offset(): number {
    return this.#at
  }

  /** The end of the last token taken, for spans. */
  get lastEnd(): number {
    return this.#lastEnd
  }

  spanFrom(start: number): Span {
    return { start, end: Math.max(start, this.#lastEnd) }
  }

  /** The text between two offsets with the edits that have been found for it, for use in a larger edit. */
  fixedText(start: number, end: number): string {
    const inside = this.diagnostics.filter(d => d.edit && d.edit.span.start >= start && d.edit.span.end <= end)
    return applyFixes({ text: this.text.slice(0, end) }, inside)?.slice(start) ?? this.text.slice(start, end)
  }

  /** A word in the place of a symbol: `a&&b` must not become `aandb`. */
  padded(replaced: Span, word: string): string {
    const before = /\S/.test(this.text[replaced.start - 1] ?? ' ') ? ' ' : ''
    const after = /\S/.test(this.text[replaced.end] ?? ' ') ? ' ' : ''
    return `${before}${word}${after}`
  }

  peek(): Token {
    this.#ahead ??= lexToken(this.text, this.#at)
    return this.#ahead
  }

  /** The token after the next one. */
  peekSecond(): Token {
    return lexToken(this.text, this.peek().end)
  }

  /** `role` is what the token is to whoever takes it; told by its kind when left out. */
  take(role?: WordRole): Token {
    const token = this.peek()
    if (token.problem !== null) this.report(token.problem)
    if (token.kind === 'bad') throw STAGE_FAILURE
    this.watch?.mark(token.start, token.end, role ?? roleOf(token))
    this.#at = token.end
    this.#lastEnd = token.end
    this.#ahead = null
    return token
  }

  /** Goes on reading at an offset: after a stretch that was read by rules of its own. */
  moveTo(offset: number): void {
    this.#at = offset
    this.#lastEnd = offset
    this.#ahead = null
  }

  /** For whoever watches: what could stand next. */
  expects(expectation: Expectation): void {
    this.watch?.expectToken(this.text, this.#at, this.peek(), expectation)
  }

  /** The same for a word that is cut by rules of its own. */
  expectsWord(start: number, end: number, lexis: Lexis, expectation: Expectation): void {
    this.watch?.expectWord(this.text, this.#at, { start, end }, lexis, expectation)
  }

  /** Runs `parse`; what it reads is compared with `other`, when that is a field. */
  comparedWith<T>(other: AstExpr | null, parse: () => T): T {
    return this.watch === null ? parse() : this.watch.comparing(other?.kind === 'field' ? other.name : null, parse)
  }

  isPunctuation(text: string): boolean {
    const token = this.peek()
    return token.kind === 'punctuation' && token.text === text
  }

  isKeyword(text: string): boolean {
    const token = this.peek()
    return token.kind === 'keyword' && token.text === text
  }

  /** A bare word of the stage grammar, in any case: `by`, `as`, `where`. */
  isWord(word: string): boolean {
    return isWord(this.peek(), word)
  }

  acceptPunctuation(text: string): Token | null {
    return this.isPunctuation(text) ? this.take() : null
  }

  acceptWord(word: string): Token | null {
    if (this.watch !== null) this.expects({ kind: 'word', word })
    return this.isWord(word) ? this.take('keyword') : null
  }

  /** A stage ends at `|`, at the end, at the `;` of a let, or at the bracket that closes its pipeline. */
  atStageEnd(): boolean {
    const token = this.peek()
    if (token.kind === 'end') return true
    if (token.kind !== 'punctuation') return false
    return token.text === '|' || token.text === ';' || token.text === '||' || (token.text === ']' && this.isInner)
  }

  /** Within `[ … ]` around a pipeline, where `]` ends what is being read. */
  get isInner(): boolean {
    return this.#pipelines > 0
  }

  /** Reads a pipeline in brackets; the opening one has been taken. */
  inner<T>(open: Span, parse: () => T): T {
    const base = this.#base
    return this.nested(open, () => {
      this.#base = this.#depth
      this.#pipelines++
      try {
        return parse()
      } finally {
        this.#pipelines--
        this.#base = base
      }
    })
  }

  /** At the bracket that closes a list, or where no more of it can come. Somebody still writing is asked for an item. */
  atListEnd(close: string): boolean {
    if (this.isPunctuation(close)) return true
    const token = this.peek()
    if (token.kind === 'end') return this.watch?.isWriting !== true
    return token.text !== '||' && this.atStageEnd()
  }

  expectPunctuation(text: string, where: string): Token {
    if (this.watch !== null) this.expects({ kind: 'symbol', text })
    return this.acceptPunctuation(text) ?? this.unexpected([`'${text}'`], where)
  }

  /** `open` is the bracket that `text` closes. */
  expectClosing(text: string, open: Token): Token {
    if (this.isPunctuation(text)) return this.take()
    const token = this.peek()
    if (!this.atStageEnd()) return this.unexpected([`'${text}'`, "','"], '')
    // What could follow the bracket cannot stand before it.
    if (this.watch !== null && token.kind === 'end') throw QUERY_FAILURE
    const at = this.#lastEnd
    this.report({
      code: 'E309',
      message: `'${open.text}' is never closed`,
      span: { start: open.start, end: open.end },
      expected: [text],
      edit: { span: { start: at, end: at }, text },
    })
    return { ...token, kind: 'punctuation', start: at, end: at, text }
  }

  report(diagnostic: Diagnostic): void {
    const key = `${diagnostic.code}:${diagnostic.span.start}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.diagnostics.push(diagnostic)
    if (this.diagnostics.length < MAX_DIAGNOSTICS || this.watch !== null) return
    // No edit: half the errors corrected is not a corrected query.
    this.diagnostics.push({
      code: 'E501',
      message: `more than ${MAX_DIAGNOSTICS} errors; the rest of the query was not read`,
      span: { start: diagnostic.span.start, end: diagnostic.span.end },
    })
    throw QUERY_FAILURE
  }

  fail(diagnostic: Diagnostic): never {
    this.report(diagnostic)
    throw STAGE_FAILURE
  }

  /** The next token fits nowhere. `what` says in words what should stand here, for the message. */
  unexpected(expected: readonly string[], what: string): never {
    const token = this.peek()
    // An unclosed string or comment explains the place better; mending a number would leave it as unexpected as before.
    if (token.problem !== null && token.problem.code !== 'E310') this.fail(token.problem)
    const wanted = what === '' ? alternatives(expected) : what
    const code: DiagnosticCode = 'E301'
    const message =
      token.kind === 'end' || token.text === '|'
        ? `${token.kind === 'end' ? 'the query' : 'the stage'} ends where ${wanted} should follow`
        : `${describeToken(token)} stands where ${wanted} should`
    this.fail({ code, message, span: { start: token.start, end: token.end }, expected })
  }

  /** Runs `parse` one level deeper; refuses nesting that would overflow the stack here or in a later pass. */
  nested<T>(at: Span, parse: () => T): T {
    if (this.#depth >= MAX_DEPTH) this.tooDeep(at, `brackets and operators nest more than ${MAX_DEPTH} deep`)
    this.#depth++
    const result = parse()
    this.#depth--
    return result
  }

  tooDeep(at: Span, message: string): never {
    this.report({ code: 'E502', message, span: { start: at.start, end: at.end } })
    throw QUERY_FAILURE
  }

  /** What `parse` returns when it reports nothing, or null with everything as it was before. */
  speculate<T>(parse: () => T | null): T | null {
    const before = this.checkpoint()
    let result: T | null = null
    try {
      result = parse()
    } catch (error) {
      if (!(error instanceof StageFailure || error instanceof QueryFailure)) throw error
    }
    if (result !== null && this.diagnostics.length === before.diagnostics) return result
    this.restore(before)
    return null
  }

  checkpoint(): Checkpoint {
    return { at: this.#at, lastEnd: this.#lastEnd, diagnostics: this.diagnostics.length, depth: this.#depth }
  }

  /** Back to a checkpoint, with its depth; `keepDiagnostics` after an error that has been reported for good. */
  restore(to: Checkpoint): void {
    this.moveTo(to.at)
    this.#lastEnd = to.lastEnd
    this.#depth = to.depth
    this.watch?.forget(to.at)
    for (const dropped of this.diagnostics.splice(to.diagnostics)) {
      this.#seen.delete(`${dropped.code}:${dropped.span.start}`)
    }
  }

  /** Out of all brackets that were opened since the pipeline began: after an error nobody is left to close them. */
  leaveBrackets(): void {
    this.#depth = this.#base
  }

  /** After an error: on to what ends the stage. A pipeline in brackets belongs to it, unless its bracket is never closed. */
  skipStage(): void {
    this.leaveBrackets()
    let inBrackets = 0
    let firstInside: number | null = null
    for (;;) {
      const token = this.peek()
      if (token.kind === 'end') break
      if (isPunctuation(token, '[')) inBrackets++
      else if (inBrackets > 0 && isPunctuation(token, ']')) inBrackets--
      else if (this.atStageEnd()) {
        if (inBrackets === 0) return
        firstInside ??= token.start
      }
      this.moveTo(Math.max(token.end, token.start + 1))
    }
    if (inBrackets > 0 && firstInside !== null) this.moveTo(firstInside)
  }
}

/** What a token is by its kind alone. */
export function roleOf(token: Token): WordRole {
  switch (token.kind) {
    case 'keyword':
      return token.text === 'true' || token.text === 'false' || token.text === 'null' ? 'constant' : 'keyword'
    case 'literal':
      return literalRole(token)
    case 'variable':
      return 'variable'
    case 'punctuation':
      return /^[-+*/%=<>!?~&]/.test(token.text) ? 'operator' : 'punctuation'
    default:
      return 'field'
  }
}

function literalRole({ literal }: Token): WordRole {
  if (literal?.type === 'string' || literal?.type === 'duration') return literal.type
  return literal?.type === 'datetime' ? 'time' : 'number'
}

export function isWord(token: Token, word: string): boolean {
  return token.kind === 'name' && token.text.length === word.length && token.text.toLowerCase() === word
}

export function isPunctuation(token: Token, ...texts: readonly string[]): boolean {
  return token.kind === 'punctuation' && texts.includes(token.text)
}

function alternatives(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? 'something else') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}
