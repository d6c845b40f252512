/** Search terms: fields to be compared, and the words between terms. */
import { quoteField } from '../token.ts'
import type { Context } from './candidates.ts'
import { type Candidate, columnItem, GROUPS, keywordItem, operatorItem } from './item.ts'

export function termCandidates(cx: Context): Candidate[] {
  const isBound = /^\s*(?:[=<>]|!=|(?:not\s+)?in\b)/i.test(cx.around.after)
  const fields = cx.columns
    .filter(column => column.name !== '_raw')
    .map(column => {
      const insert = `${quoteField(column.name)}${isBound ? '' : '='}`
      return { ...columnItem(column, true), insert }
    })
  return [...fields, keywordItem('not', 'events without it', cx.around, GROUPS.keyword)]
}

const OPERATORS: readonly (readonly [operator: string, meaning: string])[] = [
  ['=', 'Is this value; `*` and `?` stand for any characters.'],
  ['!=', 'Is another value.'],
  ['<', 'Less than.'],
  ['<=', 'At most.'],
  ['>', 'Greater than.'],
  ['>=', 'At least.'],
]

/** Behind a word that is a field. */
export function termOperatorCandidates({ columns, around }: Context, field: string): Candidate[] {
  if (!columns.some(column => column.name === field)) return []
  const compare = OPERATORS.map(([operator, meaning]) => ({
    ...operatorItem(operator, meaning, around),
    insert: operator,
  }))
  const list: Candidate = { ...operatorItem('in', 'Is one of these values.', around), insert: 'in ()', caret: 4 }
  return [...compare, list].map(item => ({ ...item, group: GROUPS.best }))
}
