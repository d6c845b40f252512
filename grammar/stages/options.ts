/**
 * `name=value` clauses of stages: `limit=50`, `maxpause=30m`, `method=iqr`, `startswith=status == 500`. A stage declares its options
 * once; parser, printer, documentation and completion read the declaration.
 */
import type { AstExpr, AstOption, LiteralValue } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { isPunctuation, type Parser } from '../parser.ts'
import { printExpr } from '../print-expr.ts'
import { suggestName } from '../suggest.ts'
import type { Token } from '../token.ts'
import { isNameToken, parseFieldRef } from './syntax.ts'

/** `whole` is a whole number, `count` one from 1; a list of words is a choice. */
export type OptionKind =
  | 'count'
  | 'whole'
  | 'number'
  | 'duration'
  | 'bool'
  | 'string'
  | 'field'
  | 'expression'
  | 'predicate'
  | readonly string[]

export interface StageOption {
  readonly name: string
  readonly value: OptionKind
  readonly doc: string
}

/** Options standing here, in any order; a name followed by `=` that is no option is reported, with the nearest that is one. */
export function parseOptions(
  p: Parser,
  declared: readonly StageOption[],
  before: readonly AstOption[] = [],
): AstOption[] {
  const options = [...before]
  expectOptions(p, declared, options)
  while (standsAtOption(p)) {
    const token = p.take('option')
    const nameSpan = { start: token.start, end: token.end }
    const option = declared.find(({ name }) => name === token.text.toLowerCase())
    if (option === undefined) {
      const near = suggestName(
        token.text,
        declared.map(({ name }) => name),
      )
      p.fail({
        code: 'E108',
        message: `there is no option '${token.text}'; it takes ${declared.map(({ name }) => name).join(', ')}`,
        span: nameSpan,
        ...(near !== null && { suggestion: near, edit: { span: nameSpan, text: near } }),
      })
    }
    if (options.some(({ name }) => name === option.name)) {
      p.fail({ code: 'E106', message: `'${option.name}' is given twice`, span: nameSpan })
    }
    p.take()
    options.push({ name: option.name, nameSpan, value: parseValue(p, option) })
    expectOptions(p, declared, options)
  }
  return options
}

/** A name and `=`: never the start of an expression. */
export function standsAtOption(p: Parser): boolean {
  return isNameToken(p.peek()) && isPunctuation(p.peekSecond(), '=')
}

/** For whoever watches: those not given yet. */
function expectOptions(p: Parser, declared: readonly StageOption[], given: readonly AstOption[]): void {
  if (p.watch === null) return
  for (const { name, doc } of declared) {
    if (!given.some(option => option.name === name)) p.expects({ kind: 'option', name, doc })
  }
}

function expectValue(p: Parser, name: string, kind: OptionKind): void {
  if (typeof kind !== 'string') p.expects({ kind: 'choice', what: name, of: kind })
  else if (kind === 'bool') p.expects({ kind: 'choice', what: name, of: ['true', 'false'] })
  else if (kind === 'count' || kind === 'duration') p.expects({ kind })
  else p.expects({ kind: 'name' })
}

function parseValue(p: Parser, { name, value: kind }: StageOption): AstExpr {
  if (p.watch !== null) expectValue(p, name, kind)
  if (kind === 'predicate' || kind === 'expression') return parseExpression(p)
  if (kind === 'field') return parseFieldRef(p)
  const token = p.peek()
  const span = { start: token.start, end: token.end }
  if (typeof kind !== 'string') {
    const word = kind.find(choice => choice === (token.literal?.type === 'string' ? token.literal.value : token.text))
    if (word === undefined) {
      const near = suggestName(token.text, [...kind])
      p.fail({
        code: 'E206',
        message: `${name} is one of ${kind.join(', ')}`,
        span,
        expected: [...kind],
        ...(near !== null && { suggestion: near, edit: { span, text: near } }),
      })
    }
    p.take('choice')
    return { kind: 'field', span, name: word }
  }
  const literal = token.literal ?? boolOf(token)
  if (literal === null || !isOf(kind, literal)) {
    p.fail({ code: 'E206', message: `${name} is ${WANTED[kind]}`, span, expected: [WANTED[kind]] })
  }
  p.take()
  return { kind: 'literal', span, value: literal }
}

function boolOf({ kind, text }: Token): LiteralValue | null {
  return kind === 'keyword' && (text === 'true' || text === 'false') ? { type: 'bool', value: text === 'true' } : null
}

const WANTED: Readonly<Record<'count' | 'whole' | 'number' | 'duration' | 'bool' | 'string', string>> = {
  count: 'a whole number, 1 or more',
  whole: 'a whole number, 0 or more',
  number: 'a number',
  duration: 'a duration such as 5m',
  bool: 'true or false',
  string: 'a string',
}

function isOf(kind: keyof typeof WANTED, value: LiteralValue): boolean {
  if (kind === 'count' || kind === 'whole') {
    return value.type === 'int' && value.value >= (kind === 'count' ? 1n : 0n) && value.value <= 1_000_000_000n
  }
  if (kind === 'number') return value.type === 'int' || value.type === 'float'
  return value.type === kind
}

/** With a space before each. */
export function printOptions(options: readonly AstOption[]): string {
  return options.map(({ name, value }) => ` ${name}=${printExpr(value)}`).join('')
}

export function optionOf(options: readonly AstOption[], name: string): AstExpr | null {
  return options.find(option => option.name === name)?.value ?? null
}

/** The value of a `count`, `whole` or `number` option; null when it is not given. */
export function numberOption(options: readonly AstOption[], name: string): number | null {
  const value = optionOf(options, name)
  if (value?.kind !== 'literal') return null
  return value.value.type === 'int' || value.value.type === 'float' ? Number(value.value.value) : null
}

/** In nanoseconds; null when it is not given. */
export function durationOption(options: readonly AstOption[], name: string): number | null {
  const value = optionOf(options, name)
  return value?.kind === 'literal' && value.value.type === 'duration' ? value.value.ns : null
}

/** The word of a choice, the text of a string, the name of a field; null when it is not given. */
export function wordOption(options: readonly AstOption[], name: string): string | null {
  const value = optionOf(options, name)
  if (value?.kind === 'field') return value.name
  return value?.kind === 'literal' && value.value.type === 'string' ? value.value.value : null
}

export function boolOption(options: readonly AstOption[], name: string): boolean | null {
  const value = optionOf(options, name)
  return value?.kind === 'literal' && value.value.type === 'bool' ? value.value.value : null
}
