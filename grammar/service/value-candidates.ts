/** The values that a field has been seen to have, written as the place wants them. */
import type { LiteralValue } from '../ast.ts'
import { printValue } from '../print-search.ts'
import { VALUE_WORD } from '../search-words.ts'
import type { Context } from './candidates.ts'
import { type Candidate, GROUPS, plainItem, valueText } from './item.ts'
import type { SampleValue } from './knowledge.ts'

export function valueCandidates({ columns, place }: Context, name: string, inSearch: boolean): Candidate[] {
  const field = columns.find(column => column.name === name)?.field ?? null
  if (field === null) return []
  if (field.type === 'datetime' && !inSearch) {
    return ['now() - 15m', 'now() - 1h', 'now() - 1d'].map(text => plainItem('value', text, 'datetime', GROUPS.value))
  }
  const isQuoted = place.lexis === 'token'
  return (field.values ?? []).map(value => ({
    // What has been typed is compared with the value, whether its quotes have been typed or not.
    ...plainItem('value', String(value), `value of ${name}`, GROUPS.value),
    insert: inSearch ? termText(value, isQuoted) : valueText(value),
  }))
}

function termText(value: SampleValue, isQuoted: boolean): string {
  if (isQuoted && typeof value === 'string') return valueText(value)
  return (
    printValue({ kind: 'literal', span: { start: 0, end: 0 }, value: literalOf(value) }, VALUE_WORD) ?? valueText(value)
  )
}

function literalOf(value: SampleValue): LiteralValue {
  if (typeof value === 'string') return { type: 'string', value, raw: false }
  if (typeof value === 'boolean') return { type: 'bool', value }
  return Number.isSafeInteger(value) ? { type: 'int', value: BigInt(value) } : { type: 'float', value }
}
