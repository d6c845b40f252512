import { type AstJoin, JOIN_TYPES, type JoinType } from '../ast.ts'
import { isPunctuation, type Parser } from '../parser.ts'
import { parseInput, printInput, startsInput } from './inputs.ts'
import { joinedColumns, parseAs, parseOn, printAs, printOn } from './join-keys.ts'
import { parseOptions, type StageOption, wordOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  {
    name: 'type',
    value: JOIN_TYPES,
    doc: 'Which rows come out: matches (inner), these rows with what matches (left), both sides whole (outer), these rows if they have a match (semi) or none (anti).',
  },
]

/** Of other languages, by ours. */
const FOREIGN_TYPES: Readonly<Record<string, JoinType>> = {
  leftouter: 'left',
  fullouter: 'outer',
  full: 'outer',
  leftsemi: 'semi',
  leftanti: 'anti',
  leftantisemi: 'anti',
  innerunique: 'inner',
}

export const joinSyntax: StageSyntax<AstJoin> = {
  keyword: 'join',
  form: 'join [type=inner|left|outer|semi|anti] on a, b == c with $x | [pipeline] | lookup name [as d]',
  summary: 'Adds the fields of matching rows of another pipeline.',
  isFunction: true,
  opens: /^\s+(?:(?:type|kind|how)\s*=|on\s|\S.*\[)/i,
  options: OPTIONS,
  parse(p, keyword) {
    const type = parseForeignType(p) ?? wordOption(parseOptions(p, OPTIONS), 'type')
    const on = parseOn(p, 'with')
    if (p.acceptWord('with') === null) {
      const token = p.peek()
      if (!startsInput(token)) p.unexpected(["'with'"], "'with' and the rows to join")
      p.report({
        code: 'E301',
        message: "the rows to join stand after 'with'",
        span: { start: token.start, end: token.end },
        edit: { span: { start: token.start, end: token.start }, text: 'with ' },
      })
    }
    const input = parseInput(p)
    const as = parseAs(p)
    return { kind: 'join', span: p.spanFrom(keyword.start), type: type as JoinType | null, on, with: input, as }
  },
  columns: ({ type, on, with: input, as }, before, columnsOf) =>
    type === 'semi' || type === 'anti' ? before : joinedColumns(before, columnsOf(input), on, as),
  print: ({ type, on, with: input, as }) =>
    `join ${type === null ? '' : `type=${type} `}on ${printOn(on)} with ${printInput(input)}${printAs(as)}`,
}

/** Kusto's `kind=leftouter`, pandas' `how=left`, SQL's words for the types; null when it is ours. */
function parseForeignType(p: Parser): JoinType | null {
  const option = p.peek()
  if (option.kind !== 'name' || !isPunctuation(p.peekSecond(), '=')) return null
  const name = option.text.toLowerCase()
  const value = /^\s*=\s*([A-Za-z]+)/.exec(p.text.slice(option.end, option.end + 100))
  const word = value?.[1]?.toLowerCase() ?? ''
  const type = FOREIGN_TYPES[word] ?? JOIN_TYPES.find(each => each === word)
  const isForeign = name === 'kind' || name === 'how' || (name === 'type' && Object.hasOwn(FOREIGN_TYPES, word))
  if (!isForeign || type === undefined || value === null) return null
  const start = option.start
  p.moveTo(option.end + value[0].length)
  const span = p.spanFrom(start)
  const text = `type=${type}`
  const written = p.text.slice(span.start, span.end)
  p.report({
    code: 'E307',
    message: `'${written}' is written '${text}' here`,
    span,
    suggestion: text,
    edit: { span, text },
  })
  return type
}
