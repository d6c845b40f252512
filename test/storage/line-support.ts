/** Lines of JSON as sources send them, and lines that are nearly that. */
import { createRandom } from '../bench/random.ts'

const VALUES = [
  ...[
    '0',
    '-0',
    '7',
    '-12',
    '0.5',
    '1e3',
    '1.50',
    '007',
    '1.',
    '.5',
    '-',
    '123456789012345',
    '1234567890123456',
    '12345678901234567890',
  ],
  ...[
    'true',
    'false',
    'null',
    'tru',
    'nulll',
    '""',
    '"a"',
    '"a b"',
    '"ü"',
    '"日本語 text"',
    '"\\n"',
    '"\\u0041"',
    '"tab\there"',
    '"\u0001"',
  ],
  ...[
    '"2026-01-02T03:04:05.678Z"',
    '"2026-01-02T03:04:05.678901234+01:00"',
    '1700000000',
    '[1,2]',
    '[]',
    '{}',
    '{"x":1}',
    '{"x":{"y":"z"}}',
  ],
  ...[`"${'long '.repeat(60)}"`, '"quote\\"d"', '"\u007f"', '"\u00e9\ud83d\ude00"', '"unterminated', 'nothing'],
] as const

const ODD_VALUES = [
  // Escapes as `JSON.stringify` writes them, and as it does not.
  ...[
    '"C:\\\\x\\ty"',
    '"\\b\\f\\r\\n\\"\\\\"',
    '"\\/"',
    '"ü\\n"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\x"',
    '"\\',
    '"a\\\\u0041"',
  ],
  ...[
    '["a","b\\nc","ü"]',
    '[true,null,-3,false]',
    '[1, 2]',
    '["x",{"y":1}]',
    '[[1]]',
    '[-0]',
    '[01]',
    '[1.5]',
    '[tru]',
    '["a"',
    '[,]',
  ],
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '-0000000000000000001',
    '[1234567890123456]',
  ],
  ...['123456789012345678901234567890', '1234567890123456.5', '9007199254740993', '9007199254740992'],
] as const

/** Lines of few shapes, now and then spoilt. @param hasOdd  with escapes, arrays and long integers among them */
export function spoiltLines(seed: number, count: number, hasOdd = false): string {
  const random = createRandom(seed)
  const of = <T>(all: readonly T[]): T => all[random.below(all.length)]!
  const shapes = [
    ['time', 'a', 'b', 'level'],
    ['a', 'time', 'o.x', 'é'],
    ['source', 'a', '_source', 'b'],
    ['timestamp', 'ts', 'b', 'a'],
    ['a', 'a', 'b'],
  ]
  const plain = ['1', '-2.5', '"x"', '"some text"', 'true', 'null', '"2026-01-02T03:04:05Z"', '"ü"']
  if (hasOdd) plain.push('"a\\\\nb\\nc"')
  const values: readonly string[] = hasOdd ? [...VALUES, ...ODD_VALUES] : VALUES
  let text = ''
  for (let line = 0; line < count; line++) {
    const space = random.unit() < 0.05 ? ' ' : ''
    const members = of(shapes).map(name => {
      const value = random.unit() < 0.9 ? of(plain) : of(values)
      return name === 'o.x' ? `"o":{"x":${value}}` : `"${name}":${space}${value}`
    })
    let written = `{${members.join(`,${space}`)}}`
    if (random.unit() < 0.03) written = written.slice(0, random.below(written.length))
    if (random.unit() < 0.03) written += of([' ', '}', 'x', '\t', '\u0000'])
    if (random.unit() < 0.03)
      written = of(['', 'plain text', '2026-01-02T03:04:05Z GET /', '[1]', '"s"', '\ufeff{"a":1}'])
    text += written + of(['\n', '\n', '\n', '\r\n', '\n\n'])
  }
  return random.unit() < 0.5 ? text : text.replace(/\r?\n+$/, '')
}
