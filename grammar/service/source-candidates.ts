/** What can be read `from`, and the bounds of a time range. */
import { quoteName } from '../token.ts'
import type { Context } from './candidates.ts'
import { type Candidate, GROUPS, keywordItem, plainItem } from './item.ts'
import type { Knowledge } from './knowledge.ts'

const BARE = /^[A-Za-z0-9_@][A-Za-z0-9_@.:-]*$/

export function sourceCandidates({ knowledge, place }: Context): Candidate[] {
  const named = (name: string, detail: string, documentation = ''): Candidate => {
    const item = plainItem('source', name, detail, GROUPS.best)
    return { ...item, insert: BARE.test(name) ? name : quoteName(name), documentation }
  }
  return [
    ...place.lets.map(each => named(`$${each.name}`, 'let')).map(item => ({ ...item, insert: item.label })),
    ...knowledge.indexes.map(name => named(name, 'index')),
    ...(knowledge.views ?? []).map(view => named(view.name, 'view', view.documentation)),
    plainItem('source', '*', 'every index', GROUPS.other),
  ]
}

/** What `union` and `join` take. */
export function rowsCandidates(cx: Context): Candidate[] {
  const { place, knowledge, around } = cx
  const pipeline = '[from main | ]'
  return [
    ...place.lets.map(each => plainItem('source', `$${each.name}`, 'let', GROUPS.best)),
    {
      ...plainItem('snippet', pipeline, 'another pipeline', GROUPS.value),
      caret: pipeline.length - 1,
      documentation: 'Its own source, search terms and stages.',
    },
    ...((knowledge.lookups ?? []).length === 0 ? [] : [keywordItem('lookup', 'a lookup table', around)]),
  ]
}

export function tableCandidates({ lookups = [] }: Knowledge): Candidate[] {
  return lookups.map(({ name, documentation, columns }) => {
    const of = columns === undefined ? '' : `Columns: ${columns.map(column => `\`${column}\``).join(', ')}`
    const item = plainItem('source', BARE.test(name) ? name : quoteName(name), 'lookup table', GROUPS.best)
    return { ...item, documentation: documentation ?? of }
  })
}

const POINTS: readonly (readonly [text: string, meaning: string])[] = [
  ['-15m', '15 minutes ago'],
  ['-1h', 'an hour ago'],
  ['-4h', '4 hours ago'],
  ['-24h', '24 hours ago'],
  ['-7d', 'a week ago'],
  ['-30d', '30 days ago'],
  ['@h', 'the start of this hour'],
  ['@d', 'the start of today, UTC'],
  ['-1d@d', 'the start of yesterday, UTC'],
  ['@w', 'the start of this week'],
  ['now', 'the start of the query'],
]

export function timePointCandidates(): Candidate[] {
  return POINTS.map(([text, meaning]) => plainItem('time', text, meaning))
}
