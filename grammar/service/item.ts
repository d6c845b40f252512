/** What completion offers, and how each thing is written into the text where it goes. */
import { printString } from '../strings.ts'
import { quoteField } from '../token.ts'
import { signatureText } from './functions.ts'
import type { FunctionKnowledge, SampleValue } from './knowledge.ts'
import type { Ranked } from './rank.ts'
import type { KnownColumn } from './scope.ts'

export type ItemKind =
  | 'stage'
  | 'source'
  | 'field'
  | 'function'
  | 'value'
  | 'keyword'
  | 'operator'
  | 'variable'
  | 'option'
  | 'choice'
  | 'time'
  | 'snippet'

export interface CompletionItem {
  readonly label: string
  /** What replaces the word under the cursor. */
  readonly insert: string
  /** Where in `insert` the cursor goes; its end when absent. */
  readonly caret?: number
  readonly kind: ItemKind
  /** One line beside the label: a type, a signature. */
  readonly detail: string
  /** Markdown. */
  readonly documentation: string
}

export type Candidate = CompletionItem & Ranked

/** The text around the word being replaced: what is there already is not written twice. */
export interface Surroundings {
  readonly before: string
  readonly after: string
}

/** Lower comes first among equally good fits. */
export const GROUPS = { best: 0, value: 1, column: 2, field: 3, function: 4, keyword: 5, other: 6, pipe: 7 } as const

function spaced(text: string, around: Surroundings): string {
  return /^\s/.test(around.after) ? text : `${text} `
}

export function stageItem(
  stage: { readonly keyword: string; readonly form: string; readonly summary: string },
  documentation: string,
  around: Surroundings,
): Candidate {
  const { keyword, form } = stage
  const insert = form === keyword ? keyword : spaced(keyword, around)
  return { label: keyword, insert, kind: 'stage', detail: form, documentation, group: GROUPS.best }
}

export function functionItem(fn: FunctionKnowledge, name: string, around: Surroundings, group: number): Candidate {
  const isCalled = /^\s*!?\(/.test(around.after)
  const insert = isCalled ? name : `${name}()`
  const takesSomething = fn.parameters.length > 0
  return {
    label: name,
    insert,
    ...(!isCalled && takesSomething && { caret: name.length + 1 }),
    kind: 'function',
    detail: signatureText(fn, name),
    documentation: functionDocumentation(fn),
    group,
  }
}

const documented = new WeakMap<FunctionKnowledge, string>()

/** Written once for each function: a hundred of them are offered at every key. */
export function functionDocumentation(fn: FunctionKnowledge): string {
  const known = documented.get(fn) ?? writeDocumentation(fn)
  documented.set(fn, known)
  return known
}

function writeDocumentation(fn: FunctionKnowledge): string {
  const lines = [fn.documentation]
  for (const { name, doc, optional } of fn.parameters)
    lines.push(`- \`${name}\`${optional ? ' (optional)' : ''}: ${doc}`)
  if (fn.nulls === 'propagate') lines.push('Null when an argument is null or missing.')
  if (fn.nulls === 'observe') lines.push('Sees nulls: a null argument does not make the result null by itself.')
  if (fn.class === 'aggregate') lines.push('Skips null and missing values.')
  const [example] = fn.examples
  if (example !== undefined) {
    lines.push('expression' in example ? `\`${example.expression}\` → \`${example.result}\`` : `\`${example.query}\``)
  }
  return lines.join('\n')
}

/** How a column is written: `asName` where only a name can stand, else the text of an expression may name it too. */
export function columnText({ name, text }: KnownColumn, asName: boolean): string {
  return !asName && text === name ? name : quoteField(name)
}

export function columnItem(column: KnownColumn, asName: boolean): Candidate {
  const insert = columnText(column, asName)
  // Its values are for `describeAt`: reading those of every field would make every key wait.
  const group = column.text === null && column.madeBy === undefined ? GROUPS.field : GROUPS.column
  return { label: column.name, insert, kind: 'field', detail: columnDetail(column), documentation: '', group }
}

export function columnDetail({ field, text, source, name, madeBy }: KnownColumn): string {
  if (madeBy !== undefined) return `made by ${madeBy}`
  if (text !== null) return text === name ? 'computed' : `= ${text}`
  const renamed = source === null || source === name ? '' : `${source}, `
  if (field === null) return `${renamed}unknown`
  return `${renamed}${field.type}${field.coverage === undefined ? '' : `, in ${percent(field.coverage)} of events`}`
}

function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1%'
  return `${Math.floor(share * 100)}%`
}

const SHOWN_VALUES = 5

export function valuesLine(values: readonly SampleValue[] | undefined): string {
  if (values === undefined || values.length === 0) return ''
  const more = values.length > SHOWN_VALUES ? ', …' : ''
  return `Values: ${values
    .slice(0, SHOWN_VALUES)
    .map(value => `\`${valueText(value)}\``)
    .join(', ')}${more}`
}

export function valueText(value: SampleValue): string {
  return typeof value === 'string' ? printString(value) : String(value)
}

export function keywordItem(
  word: string,
  detail: string,
  around: Surroundings,
  group: number = GROUPS.best,
): Candidate {
  return { label: word, insert: spaced(word, around), kind: 'keyword', detail, documentation: '', group }
}

export function operatorItem(operator: string, documentation: string, around: Surroundings): Candidate {
  const insert = spaced(operator, around)
  return { label: operator, insert, kind: 'operator', detail: '', documentation, group: GROUPS.keyword }
}

export function plainItem(kind: ItemKind, label: string, detail: string, group: number = GROUPS.best): Candidate {
  return { label, insert: label, kind, detail, documentation: '', group }
}
