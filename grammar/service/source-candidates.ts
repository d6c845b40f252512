/** What can be read `from`, and the bounds of a time range. */
import { quoteName } from '../token.ts'
import type { Context } from './candidates.ts'
import { type Candidate, GROUPS, plainItem } from './item.ts'

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
