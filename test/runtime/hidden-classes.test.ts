/**
 * What is made for each query is of the same hidden classes each time. Where it is not, V8 compiles for the classes of the last run, and again for those of
 * the next: queries of which nothing is wrong, and that never become quick. V8 tells of each class it makes (`--log-maps`).
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

const ENGINE = new URL('../../engine.js', import.meta.url).href

const QUERIES = [
  'stats count() by level',
  'where n >= 50 | stats count() as c, avg(n) by host | sort -c | head 3',
  'stats p95(n), dc(host) by bin(_time, 1m)',
  'where contains(message, "three") | stats count()',
  'sort -n | head 5',
  'where level == "error" | sort -_time | head 5',
  'where n < 3 | union [where n > 97] | stats count()',
  'stats count() by host | join on host with [stats max(n) as most by host] | head 2',
]

const PROGRAM = `
const { open } = await import(${JSON.stringify(ENGINE)})
const engine = await open(null)
const words = ['one', 'two', 'three']
engine.ingest(Array.from({ length: 2000 }, (_, n) => ({
  _time: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(), level: n % 7 ? 'info' : 'error', host: 'h' + (n % 5), n: n % 100,
  message: 'number ' + words[n % 3],
})))
for (let round = 0; round < Number(process.env.ROUNDS); round++)
  for (const query of ${JSON.stringify(QUERIES)}) await engine.query(query).collect()
await engine.close()
`

/** Classes that no other object will be of, and those of functions made anew that make objects. */
const OF_ITS_OWN = /^map,(?:Transition,.*,prototype,|InitialMap,|NormalizeCached,.*,AccessorsOverwritingNonLast,)/gm

function classesMade(rounds: number): number | null {
  const directory = mkdtempSync(join(tmpdir(), 'quern-classes-'))
  try {
    const log = join(directory, 'v8.log')
    const flags = ['--log-maps', '--no-log-maps-details', '--no-logfile-per-isolate', `--logfile=${log}`]
    const env = { ...process.env, ROUNDS: String(rounds) }
    const { status, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', PROGRAM], {
      encoding: 'utf8',
      env,
    })
    assert.equal(status, 0, stderr)
    const text = readFileSync(log, 'latin1')
    return text.includes('\nmap,') ? [...text.matchAll(OF_ITS_OWN)].length : null
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

it('makes no hidden classes for a query that was asked before', t => {
  const [few, many] = [classesMade(20), classesMade(70)]
  if (few === null || many === null) return t.skip('this V8 does not tell')
  assert.ok(many - few < 50, `${many - few} in 50 rounds`)
})
