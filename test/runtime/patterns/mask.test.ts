import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { showSlot } from '../../../runtime/patterns/kinds.ts'
import { Masker } from '../../../runtime/patterns/mask.ts'
import { LOGHUB_NAMES, readLoghub } from '../../loghub.ts'
import { type Masked, mask } from '../../reference/patterns/mask.ts'

const masker = new Masker()

function masked(bytes: Uint8Array): Masked {
  // Behind other bytes: what stands before and after the line must not matter.
  const around = Buffer.concat([Buffer.from('9z/'), bytes, Buffer.from('z9/')])
  masker.mask(around, 3, 3 + bytes.length)
  const { signature, length, slots, slotCount } = masker
  return { text: Buffer.from(signature.subarray(0, length)).toString('utf8'), slots: [...slots.subarray(0, slotCount)] }
}

function shown({ text, slots }: Masked): string {
  let slot = 0
  return text.replaceAll('\x01', () => showSlot(slots[slot++]!)).replaceAll('\x02', '…')
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['took 15 ms, 3.5 MB in 1.2s at 10:15:00', 'took <num> ms, <size> in <duration> at <time>'],
  ['from 10.0.0.7:4022 to fe80::1 via 00:11:43:e3:ba:c3', 'from <ip>:<num> to <ip> via <hex>'],
  ['Jun 14 15:16:01 combo sshd(pam_unix)[19939]: check pass', '<time> <host> sshd(pam_unix)[<num>]: check pass'],
  ['2015-10-18 18:01:47,978 INFO [main] org.Foo: up', '<time> INFO [main] org.Foo: up'],
  ['req-17d97474-1552-40e1-b424-7de7e498d150 done', 'req-<uuid> done'],
  ['GET /v2/servers?limit=10 HTTP/1.1', 'GET <path> HTTP/<num>'],
  ['see https://example.com/a?b=c.', 'see <url>.'],
  ['mail to ops@example.com at mx1.example.co.uk', 'mail to <email> at <host>'],
  ['mail to ops_@example.com, ops-@example.com', 'mail to <email>, <email>'],
  ['at 10:15:::Mon00', 'at <num>:::Mon00'],
  ['jk2_init() of ssh2, x86_64, wl0', 'jk2_init() of ssh2, x86_64, wl0'],
  ['blk_-4068751061953213467 on node-243', 'blk_<num> on node-<num>'],
  ['msgid jA9J1UvC004306 hash 3a92a0f1 0x1f deadbeef', 'msgid <id> hash <hex> <hex> <hex>'],
  ['org.apache.hadoop.ipc.Client: up', 'org.apache.hadoop.ipc.Client: up'],
  ['C:\\Windows\\System32\\ntdll.dll, C:\\x', '<path>, <path>'],
  ['IRQs 3 4 5 6 7', 'IRQs <num>…'],
  ['a  \t b\n', 'a b'],
  ['größe 12 µs 5µs', 'größe <num> µs <duration>'],
]

test('what varies by nature is masked, and shown by its kind', () => {
  for (const [line, expected] of EXAMPLES) assert.equal(shown(masked(Buffer.from(line))), expected)
})

/** Pieces of lines, so that random ones come close to what the rules are about. */
const PIECE = fc.oneof(
  fc.constantFrom(
    ...[
      '12',
      '7',
      '2015',
      '07',
      '29',
      '00',
      '255',
      '3a92',
      'de',
      'ad',
      'fe80',
      'x',
      'Jan',
      'Dec',
      'Mon',
      'T',
      'Z',
      'e5',
      'ms',
    ],
    ...[
      's',
      'KB',
      'B',
      'G',
      'µ',
      'ü',
      'http',
      'com',
      'org',
      'example',
      'co',
      'uk',
      'info',
      'INFO',
      'sshd',
      '0x',
      'a1b2c3',
      'Slf4j',
    ],
    ...[
      '-',
      '+',
      '.',
      ':',
      '::',
      '/',
      '\\',
      '_',
      '@',
      '%',
      ',',
      ';',
      '=',
      '?',
      '(',
      ')',
      '[',
      ']',
      '"',
      ' ',
      '  ',
      '\t',
      '!',
      '|',
      '\x01',
    ],
  ),
  fc.integer({ min: 0, max: 99_999 }).map(String),
  fc.string({ maxLength: 3 }),
)
const LINE = fc.array(PIECE, { maxLength: 24 }).map(pieces => pieces.join(''))

test('the scanner and the regular expressions mask alike', () => {
  const sameAs = (line: string): void => {
    const bytes = Buffer.from(line)
    assert.deepEqual(masked(bytes), mask(bytes), JSON.stringify(line))
  }
  fc.assert(fc.property(LINE, sameAs), { numRuns: 3000 })
  fc.assert(
    fc.property(fc.constantFrom(...EXAMPLES.map(([line]) => line)), fc.nat(), LINE, (line, at, more) => {
      const place = at % (line.length + 1)
      sameAs(line.slice(0, place) + more + line.slice(place))
    }),
    { numRuns: 3000 },
  )
})

test('they mask real lines alike', () => {
  for (const name of LOGHUB_NAMES) {
    for (const { line } of (readLoghub(name) ?? []).filter((_, index) => index % 40 === 0)) {
      const bytes = Buffer.from(line)
      assert.deepEqual(masked(bytes), mask(bytes), line)
    }
  }
})

test('of a line beyond the limit the beginning is compared, and marked', () => {
  const bytes = Buffer.from('word 12 '.repeat(1000))
  assert.deepEqual(masked(bytes), mask(bytes))
  assert.match(masked(bytes).text, /\x02$/)
})
