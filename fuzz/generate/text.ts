/** Text for the parser: nonsense, tokens in any order, and good queries with something wrong. */
import { randomData } from './data.ts'
import { queryText, randomQuery } from './query.ts'
import type { Random } from './random.ts'

const TOKENS = [
  ...[
    'from',
    'main',
    '|',
    'where',
    'extend',
    'stats',
    'count()',
    'by',
    'sort',
    '-',
    'head',
    'keep',
    'drop',
    'parse',
    'json',
  ],
  ...['==', '=', '!=', '&&', '||', '(', ')', '[', ']', '{', '}', ',', '..', '.', '?.', '??', '->', '$x', '!', '*', '%'],
  ...[
    '"text"',
    '"open',
    "'single'",
    'r"\\d+"',
    '`odd name`',
    '`open',
    '42',
    '0x',
    '1e',
    '5m',
    '1h30m',
    '5x',
    '@d',
    '//',
    '/*',
  ],
  ...[
    'and',
    'or',
    'not',
    'in',
    'between',
    'null',
    'true',
    'let',
    ';',
    'as',
    'SELECT',
    'index=x',
    'IS',
    'LIKE',
    '=~',
    '===',
    '\\',
  ],
  ...[
    'FROM x',
    '{app="a"}',
    '|=',
    'rate(',
    '[5m]',
    'case when',
    'then',
    'end',
    'cast(a as int)',
    '::',
    ':=',
    '?',
    ':',
    '!contains',
    'has_any (',
    'interval "1 hour"',
    'HAVING',
    'level:[1 TO 2]',
    '_time:5m',
    'earliest=-1h',
    'eval',
    'chart',
    'bin',
    'span=5m',
    'dedup',
    'sortby',
    'top 5 by',
    'nulls last',
    'countif(',
    'render',
    'GROUP BY',
    'ORDER BY',
    'DISTINCT',
  ],
  ...[
    '\n',
    '\t',
    '\u00e9',
    '\u{1f600}',
    '\u0000',
    '\ud800',
    '2026-06-01T00:00:00Z',
    '9007199254740993',
    '[-1h]',
    'web-*',
    'é*',
  ],
] as const

export function randomText(random: Random): string {
  switch (random.int(0, 3)) {
    case 0:
      return Array.from({ length: random.int(0, 40) }, () =>
        String.fromCharCode(random.pick([random.int(0, 127), random.int(0, 65_535)])),
      ).join('')
    case 1:
      return tokens(random)
    case 2:
      return random.pick(['(', '[', 'not ', '-', '{a: ', 'x + ']).repeat(random.int(1, 3000))
    default:
      return damage(random, queryText(randomQuery(random, randomData(random, 1).fields)))
  }
}

function tokens(random: Random): string {
  return Array.from({ length: random.int(1, 25) }, () => random.pick(TOKENS)).join(random.pick([' ', ' ', '']))
}

/** One to three wounds: a piece lost, doubled, replaced by a token, or the rest cut off. */
function damage(random: Random, text: string): string {
  let result = text
  for (let i = random.int(1, 3); i > 0; i--) {
    const at = random.int(0, result.length)
    const end = Math.min(result.length, at + random.int(0, 6))
    const replacement = random.pick(['', result.slice(at, end).repeat(2), random.pick(TOKENS)])
    result = random.chance(0.15) ? result.slice(0, at) : result.slice(0, at) + replacement + result.slice(end)
  }
  return result
}
