import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mine } from '../../../runtime/patterns/mine.ts'
import { type Entry, SignatureTable } from '../../../runtime/patterns/signatures.ts'
import { LOGHUB_NAMES, readLoghub } from '../../loghub.ts'
import { mask } from '../../reference/patterns/mask.ts'
import { minePatterns } from '../../reference/patterns/mine.ts'

/** Lines of few statements with changing arguments, some of them words. */
const WORDS = [
  'up',
  'down',
  'root',
  'news',
  'alice',
  'bob',
  'carol',
  'dave',
  'erin',
  'www.example.com',
  'db-7',
  '10.0.0.9',
  '42',
  '0x1f',
  '12 KB',
]
const WORD = fc.constantFrom(...WORDS)
const STATEMENTS: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `session opened for user ${a} by (uid=${b})`,
  (a, b) => `connection from ${a} (${b}) at port 80`,
  a => `connection from ${a} () at port 80`,
  (a, b) => `link ${a} is ${b}`,
  a => `data ${a} interrupt, code=7`,
  (a, b) => `state: ${a} -> ${b}`,
  (a, b) => `close, ${a} sent (${b}), lifetime ${a}`,
  a => `close, ${a} sent, lifetime <1 sec`,
  a => `tag="${a}" name=${a}`,
  a => a,
]
const LINE = fc
  .tuple(fc.nat(STATEMENTS.length - 1), WORD, WORD)
  .map(([statement, a, b]) => STATEMENTS[statement]!(a, b))
const LINES = fc.array(LINE, { minLength: 1, maxLength: 60 })

function tableOf(lines: readonly string[], limit?: number): SignatureTable {
  const table = new SignatureTable(limit)
  for (const line of lines) {
    const bytes = Buffer.from(line)
    // The time is the line's own, whatever its place.
    table.add(bytes, 0, bytes.length, line.length % 7, 0)
  }
  return table
}

/** Patterns with what a table knows of their lines, in the order of patterns. */
function patternsOf(table: SignatureTable): unknown[] {
  const entries = table.entries()
  return mine(entries)
    .map(({ pattern, members }) => ({ pattern, ...summary(members.map(member => entries[member]!)) }))
    .sort((a, b) => (a.pattern < b.pattern ? -1 : a.pattern > b.pattern ? 1 : a.sample < b.sample ? -1 : 1))
}

function summary(entries: readonly Entry[]): {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly sample: string
} {
  const first = Math.min(...entries.map(entry => entry.firstMicros))
  const samples = entries
    .filter(entry => entry.firstMicros === first)
    .map(entry => Buffer.from(entry.sample).toString())
  return {
    count: entries.reduce((sum, entry) => sum + entry.count, 0),
    first,
    last: Math.max(...entries.map(entry => entry.lastMicros)),
    sample: samples.sort()[0]!,
  }
}

test('whatever the order of lines, the patterns are the same', () => {
  const shuffled = LINES.chain(lines =>
    fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length })),
  )
  fc.assert(
    fc.property(shuffled, fc.constantFrom(undefined, 3, 8), ([lines, other], limit) => {
      assert.deepEqual(patternsOf(tableOf(other, limit)), patternsOf(tableOf(lines, limit)))
    }),
    { numRuns: 300 },
  )
})

test('however lines are split into parts, the sum of their tables is the table of all', () => {
  fc.assert(
    fc.property(
      fc.array(LINES, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(undefined, 3, 8, 20),
      (parts, limit) => {
        const [first, ...others] = parts.map(lines => tableOf(lines, limit))
        for (const other of others) first!.absorb(other)
        const all = tableOf(parts.flat(), limit)
        assert.equal(first!.level, all.level)
        assert.equal(first!.lines, all.lines)
        assert.deepEqual(patternsOf(first!), patternsOf(all))
      },
    ),
    { numRuns: 300 },
  )
})

test('every line is in one pattern, and equal lines are in the same', () => {
  fc.assert(
    fc.property(LINES, lines => {
      const entries = tableOf(lines).entries()
      const members = mine(entries).flatMap(template => template.members)
      assert.deepEqual(
        members.toSorted((a, b) => a - b),
        entries.map((_, index) => index),
      )
    }),
    { numRuns: 100 },
  )
})

function referenceOf(lines: readonly string[]): readonly (readonly [string, number])[] {
  const patterns = minePatterns(lines.map(line => mask(Buffer.from(line))))
  return inOrder(patterns.map(found => [found.pattern, found.lines.length] as const))
}

function minedOf(lines: readonly string[]): readonly (readonly [string, number])[] {
  const entries = tableOf(lines).entries()
  return inOrder(
    mine(entries).map(
      ({ pattern, members }) => [pattern, members.reduce((sum, member) => sum + entries[member]!.count, 0)] as const,
    ),
  )
}

function inOrder(found: (readonly [string, number])[]): (readonly [string, number])[] {
  return found.sort(([a, m], [b, n]) => (a < b ? -1 : a > b ? 1 : m - n))
}

test('the reference finds the same patterns', () => {
  fc.assert(
    fc.property(LINES, lines => assert.deepEqual(minedOf(lines), referenceOf(lines))),
    { numRuns: 300 },
  )
})

test('the reference finds the same patterns in real lines', () => {
  for (const name of LOGHUB_NAMES) {
    const lines = (readLoghub(name) ?? []).slice(0, 300).map(({ line }) => line)
    assert.deepEqual(minedOf(lines), referenceOf(lines), name)
  }
})

test('text without end of words becomes coarser, never more than a table holds', () => {
  const lines = Array.from(
    { length: 500 },
    (_, n) => `${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]} said ${n} times ${'uvwxyz'[n % 6]}`,
  )
  const table = tableOf(lines, 50)
  assert.ok(table.level > 0)
  assert.ok(table.entries().length <= 50)
  assert.equal(
    table.entries().reduce((sum, entry) => sum + entry.count, 0),
    500,
  )
})
