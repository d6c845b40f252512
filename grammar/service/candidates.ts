/** Everything that could stand in a place, by what the parser expects there; ranking against what was typed comes later. */

import { ADVICE } from '../foreign/advice.ts'
import { binaryPrecedence, isBinaryOperator, PRECEDENCE } from '../precedence.ts'
import { STAGE_SYNTAX } from '../stages/index.ts'
import { FOREIGN_WORDS, isStageWord, PLANNED_STAGES } from '../stages/names.ts'
import { quoteField, quoteName } from '../token.ts'
import type { OpenCall, Place } from '../watch.ts'
import { functionNamed } from './functions.ts'
import {
  type Candidate,
  columnItem,
  functionItem,
  GROUPS,
  keywordItem,
  operatorItem,
  plainItem,
  type Surroundings,
  stageItem,
} from './item.ts'
import type { FunctionKnowledge, Knowledge } from './knowledge.ts'
import { columnsAt, type KnownColumn } from './scope.ts'
import { rowsCandidates, sourceCandidates, tableCandidates, timePointCandidates } from './source-candidates.ts'
import { termCandidates, termOperatorCandidates } from './term-candidates.ts'
import { valueCandidates } from './value-candidates.ts'

export interface Context {
  readonly place: Place
  readonly knowledge: Knowledge
  readonly columns: readonly KnownColumn[]
  readonly around: Surroundings
  /** Variables written elsewhere in the text. */
  readonly variables: readonly string[]
}

export function candidatesAt(
  place: Place,
  knowledge: Knowledge,
  around: Surroundings,
  variables: readonly string[],
): readonly Candidate[] {
  const cx: Context = { place, knowledge, columns: columnsAt(place, knowledge), around, variables }
  const { expectation } = place
  switch (expectation.kind) {
    case 'opening':
      return [...openingCandidates(cx), ...stages(cx), ...termCandidates(cx)]
    case 'stage':
      return [...stages(cx), ...fields(cx, false).map(item => ({ ...item, group: GROUPS.other }))]
    case 'pipe':
      return [{ ...operatorItem('|', 'The next stage.', around), group: GROUPS.pipe }]
    case 'source':
      return sourceCandidates(cx)
    case 'time-point':
      return timePointCandidates()
    case 'term':
      return termCandidates(cx)
    case 'term-operator':
      return termOperatorCandidates(cx, expectation.field)
    case 'term-value':
      return valueCandidates(cx, expectation.field, true)
    case 'operand':
      return operands(cx, expectation.min)
    case 'key':
      return keys(cx)
    case 'operator':
      return operators(cx, expectation.min, expectation.afterComparison)
    case 'aggregate':
      return aggregates(cx)
    case 'field':
      return fieldNames(cx, expectation.pattern)
    case 'word':
      return [wordItem(expectation.word, cx)]
    case 'symbol':
      return [{ ...operatorItem(expectation.text, '', around), group: GROUPS.best }]
    case 'option':
      return [
        { ...plainItem('option', `${expectation.name}=`, 'option', GROUPS.keyword), documentation: expectation.doc },
      ]
    case 'choice':
      return expectation.of.map(word => plainItem('choice', word, expectation.what))
    case 'rows':
      return rowsCandidates(cx)
    case 'table':
      return tableCandidates(knowledge)
    case 'fragment':
      return (knowledge.saved ?? []).map(saved => ({
        ...plainItem('source', quoteField(saved.name), 'saved stages', GROUPS.best),
        documentation: saved.documentation ?? '',
      }))
    case 'format':
      return formats(cx)
    case 'duration':
      return DURATIONS.map(text => plainItem('value', text, 'duration', GROUPS.value))
    case 'count':
      return ['10', '20', '50', '100'].map(text => plainItem('value', text, 'number', GROUPS.value))
    case 'name':
      return []
  }
}

function formats({ knowledge }: Context): Candidate[] {
  return knowledge.language.parse_formats.map(({ name, signature, documentation, fields }) => {
    const made = fields.length === 0 ? '' : `\n\nFields: ${fields.map(field => `\`${field.name}\``).join(', ')}`
    const item = plainItem('choice', name, signature)
    return name === 'first_of'
      ? { ...item, insert: 'first_of()', caret: 9, documentation }
      : { ...item, documentation: documentation + made }
  })
}

const DURATIONS = ['1m', '5m', '10s', '30s', '15m', '30m', '1h', '6h', '1d']

/** What the words between clauses are for. */
const WORDS: Readonly<Record<string, string>> = {
  by: 'for each group',
  as: 'the name of the column',
  where: 'only rows for which it is true',
  and: 'both',
  or: 'either',
  stats: 'the aggregates of each bin',
  except: 'but not these',
  per: 'the width of a bin',
  on: 'the fields both sides have in common',
  with: 'the rows of the other side',
  previous: 'the period right before',
  every: 'over time, in bins this wide',
  into: 'these fields only',
  prefix: 'before the name of each field',
  on_error: 'what becomes of a text that is not of the format',
  from: 'the field that holds the text',
}

/** In a call a condition is the rarer thing to want. */
function wordItem(word: string, { place, around }: Context): Candidate {
  return keywordItem(word, WORDS[word] ?? '', around, place.calls.length > 0 ? GROUPS.keyword : GROUPS.best)
}

function openingCandidates(cx: Context): Candidate[] {
  const { around, knowledge } = cx
  const from = keywordItem('from', 'where the events are', around)
  const indexes = knowledge.indexes.map(name => plainItem('source', `from ${name}`, 'index', GROUPS.value))
  return [from, ...indexes, keywordItem('let', 'a named pipeline', around, GROUPS.other)]
}

function stages({ knowledge, around }: Context): Candidate[] {
  const documented = new Map(knowledge.language.stages.map(stage => [stage.name, stage.documentation]))
  return Object.values(STAGE_SYNTAX).map(syntax =>
    stageItem(syntax, documented.get(syntax.keyword) ?? syntax.summary, around),
  )
}

function fields(cx: Context, asName: boolean): Candidate[] {
  const items = cx.columns.map(column => columnItem(column, asName))
  // Where a stage may begin, a field that is called like one is written as a name.
  return cx.place.stage === null
    ? items.map(item => (isWordOfStages(item.insert) ? { ...item, insert: quoteName(item.label) } : item))
    : items
}

function isWordOfStages(text: string): boolean {
  const lower = text.toLowerCase()
  // `last(id)` begins as a stage of another language does, and would be advised on as one.
  const called = lower.split('(', 1)[0]!
  return isStageWord(lower) || FOREIGN_WORDS.has(called) || PLANNED_STAGES.has(lower) || ADVICE.has(lower)
}

function fieldNames(cx: Context, pattern: boolean): Candidate[] {
  const items = fields(cx, true)
  return pattern ? [...items, plainItem('field', '*', 'every field', GROUPS.other)] : items
}

/** The parameter that the innermost open call is at. */
function parameterOf(knowledge: Knowledge, call: OpenCall | undefined): FunctionKnowledge['parameters'][number] | null {
  if (call === undefined || call.inWhere) return null
  const fn = functionNamed(knowledge, call.name)
  return fn?.parameters[Math.min(call.argument, fn.parameters.length - 1)] ?? null
}

function operands(cx: Context, min: number): Candidate[] {
  const { place, knowledge, around } = cx
  const call = place.calls.at(-1)
  const parameter = parameterOf(knowledge, call)
  const items: Candidate[] = []
  if (place.compared !== null) items.push(...valueCandidates(cx, place.compared, false))
  if (call?.subject != null && call.argument > 0 && isTextSearch(knowledge, call)) {
    items.push(...valueCandidates(cx, call.subject, false).filter(item => item.insert.startsWith('"')))
  }
  const wantsDuration = parameter?.type === 'duration' || (call?.name === 'bin' && call.argument === 1)
  if (wantsDuration) items.push(...DURATIONS.map(text => plainItem('value', text, 'duration', GROUPS.value)))
  items.push(...fields(cx, false).map(item => preferred(item, cx, parameter?.type)))
  items.push(...knowledge.language.functions.map(fn => functionItem(fn, fn.name, around, GROUPS.function)))
  if (min <= PRECEDENCE.not) items.push(keywordItem('not', 'the opposite', around, GROUPS.keyword))
  items.push(...['true', 'false', 'null'].map(word => plainItem('keyword', word, 'constant', GROUPS.other)))
  items.push(...variableItems(cx))
  return items
}

function isTextSearch(knowledge: Knowledge, call: OpenCall): boolean {
  return functionNamed(knowledge, call.name)?.class === 'text'
}

/** Numbers first where numbers are wanted. */
function preferred(item: Candidate, { columns }: Context, type: string | undefined): Candidate {
  if (type === undefined || type === 'any') return item
  const own = columns.find(column => column.name === item.label)?.field?.type
  const fits = own === type || (type === 'number' && (own === 'int' || own === 'float' || own === 'number'))
  return fits ? { ...item, group: GROUPS.best } : item
}

function variableItems({ knowledge, variables }: Context): Candidate[] {
  const names = new Set([...(knowledge.variables ?? []), ...variables])
  return [...names].map(name => plainItem('variable', `$${name}`, 'variable of the request', GROUPS.other))
}

function keys(cx: Context): Candidate[] {
  const hasTime = cx.columns.some(column => column.name === '_time')
  if (!hasTime) return []
  const label = 'bin(_time, 5m)'
  return [
    {
      ...plainItem('snippet', label, 'a time series', GROUPS.column),
      caret: label.length - 1,
      documentation: 'Groups by time; the column is called `_time`.',
    },
  ]
}

function aggregates({ knowledge, around, place }: Context): Candidate[] {
  const { aggregates, windows } = knowledge.language
  return [...aggregates, ...(place.stage === 'streamstats' ? windows : [])].flatMap(fn =>
    (fn.family?.members ?? [fn.name]).map(name => functionItem(fn, name, around, GROUPS.best)),
  )
}

const WORD_OPERATORS = ['and', 'or', 'in', 'not in', 'between', 'not between'] as const
const SYMBOLS = ['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '??'] as const

function operators({ knowledge, around }: Context, min: number, afterComparison: boolean): Candidate[] {
  const documented = new Map(knowledge.language.operators.map(fn => [fn.name, fn.documentation]))
  const fits = (level: number) => level >= min && !(level === PRECEDENCE.comparison && afterComparison)
  const words = WORD_OPERATORS.filter(word =>
    fits(isBinaryOperator(word) ? binaryPrecedence(word) : PRECEDENCE.comparison),
  )
  const symbols = SYMBOLS.filter(symbol => fits(binaryPrecedence(symbol)))
  const ordered = afterComparison ? [...words, ...symbols] : [...symbols, ...words]
  return ordered.map(operator => operatorItem(operator, documented.get(operator) ?? '', around))
}
