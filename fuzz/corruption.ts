/**
 * Damage to a data directory, every kind of it in turn: bytes flipped, files cut, emptied, filled with noise, deleted, a part there twice.
 * A start over it must succeed, and a query must give whole sound parts and name every part it does not give; never a wrong value.
 * Consecutive seeds go through all bytes and lengths, so the length of a campaign says what it has covered.
 */
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from '../engine.ts'
import { toTypedJson } from '../runtime/interchange/typed-json.ts'
import { CorruptPartError } from '../storage/errors.ts'
import { NODE_FILESYSTEM } from '../storage/filesystem.ts'
import { createChunkCache } from '../storage/part/chunk-cache.ts'
import { openPart } from '../storage/part/read.ts'
import { writePart } from '../storage/part/write.ts'
import { openStore } from '../storage/store.ts'
import { goldenBlocks, textOfPart } from '../test/storage/golden-blocks.ts'
import { blockOf, partOf, textVector } from '../test/storage/part-support.ts'
import { createRandom } from './generate/random.ts'
import { Finding, type Outcome, type Target } from './target.ts'

/** Two parts with every encoding between them, and documents; made once for a process. */
interface Sample {
  readonly directory: string
  readonly parts: readonly string[]
  /** By part. */
  readonly rows: ReadonlyMap<string, readonly Row[]>
}

/** Values as text, by field. */
type Row = ReadonlyMap<string, string>

let made: Promise<Sample> | null = null

async function makeSample(): Promise<Sample> {
  const directory = fs.mkdtempSync(join(tmpdir(), 'quern-corruption-'))
  process.once('exit', () => fs.rmSync(directory, { recursive: true, force: true }))
  fs.mkdirSync(`${directory}/parts`)
  const small = blockOf(40, {
    _raw: textVector(Array.from({ length: 40 }, (_, row) => `user ${row % 3} logged in from the office`)),
  })
  const parts = ['01a', '01b']
  for (const [number, id] of parts.entries()) {
    const blocks = number === 0 ? goldenBlocks().map(block => ({ ...block, rowCount: block.rowCount })) : [small]
    writePart(NODE_FILESYSTEM, `${directory}/parts`, { id, index: `index-${id}`, blocks, fsync: false })
  }
  const store = await openStore({ directory, compactionWorkers: 0 })
  await store.documents.put('saved', 'one', { query: 'from *' })
  await store.close()
  const answer = await ask(directory)
  return { directory, parts, rows: answer.rows }
}

/** Rows of a part whose index could not be read either are under the empty name. */
async function ask(directory: string): Promise<{ rows: Map<string, Row[]>; named: string }> {
  const engine = await open(directory, { threads: 0, compactionWorkers: 0 })
  try {
    const rows = new Map<string, Row[]>()
    const run = engine.query('from * | extend its_index = index')
    for await (const { its_index: index, ...row } of run.rows()) {
      const part = typeof index === 'string' ? index.replace('index-', '') : ''
      const values = new Map(Object.entries(row).map(([field, value]) => [field, toTypedJson(value)]))
      rows.set(part, [...(rows.get(part) ?? []), values])
    }
    const named = JSON.stringify([engine.status().quarantined, run.profile.damaged])
    return { rows, named }
  } finally {
    await engine.close()
  }
}

const sameRow = (left: Row, right: Row): boolean => left.size === right.size && isPartOf(left, right)

/** What cannot be read of a row is missing in it; what is there must be right. */
const isPartOf = (row: Row, whole: Row): boolean => [...row].every(([field, value]) => whole.get(field) === value)

type Damage = readonly [name: string, apply: (directory: string, sample: Sample, turn: number, seed: number) => void]

const pathOf = (directory: string, sample: Sample, turn: number): string =>
  `${directory}/parts/${sample.parts[turn % sample.parts.length]}.part`

const DAMAGES: readonly Damage[] = [
  [
    'a byte of a part flipped',
    (directory, sample, turn, seed) => {
      const file = pathOf(directory, sample, turn)
      const bytes = fs.readFileSync(file)
      const at = Math.floor(turn / sample.parts.length) % bytes.length
      bytes[at]! ^= 1 << (seed % 8)
      fs.writeFileSync(file, bytes)
    },
  ],
  [
    'a part cut',
    (directory, sample, turn) => {
      const file = pathOf(directory, sample, turn)
      fs.truncateSync(file, Math.floor(turn / sample.parts.length) % fs.statSync(file).size)
    },
  ],
  ['a part deleted', (directory, sample, turn) => fs.rmSync(pathOf(directory, sample, turn))],
  [
    'a part there twice',
    (directory, sample, turn) => fs.copyFileSync(pathOf(directory, sample, turn), `${directory}/parts/01c.part`),
  ],
  [
    'two parts under each other’s names',
    (directory, sample) => {
      const [a, b] = sample.parts.map(id => `${directory}/parts/${id}.part`) as [string, string]
      fs.renameSync(a, `${a}.aside`)
      fs.renameSync(b, a)
      fs.renameSync(`${a}.aside`, b)
    },
  ],
  ['the catalog deleted', directory => fs.rmSync(`${directory}/catalog`, { recursive: true })],
  ['the catalog filled with noise', (directory, _, turn) => noise(`${directory}/catalog/data.mdb`, turn)],
  ['the documents filled with noise', (directory, _, turn) => noise(`${directory}/documents/data.mdb`, turn)],
  [
    'the catalog cut',
    (directory, _, turn) =>
      fs.truncateSync(
        `${directory}/catalog/data.mdb`,
        (turn * 613) % fs.statSync(`${directory}/catalog/data.mdb`).size,
      ),
  ],
  ['a seal that vouches for another file', directory => fs.writeFileSync(`${directory}/catalog/SEAL`, '1 0\n')],
  ['the remains of a write', directory => fs.writeFileSync(`${directory}/parts/tmp_01d.part`, 'QRNPART')],
  [
    'a lock of nobody',
    (directory, _, turn) => fs.writeFileSync(`${directory}/LOCK`, turn % 2 === 0 ? '' : '{"pid":999999999}'),
  ],
]

/** Random bytes over a stretch of the file, or over all of it. */
function noise(file: string, turn: number): void {
  const random = createRandom(turn)
  const bytes = fs.readFileSync(file)
  const start = turn % 3 === 0 ? 0 : random.int(0, bytes.length - 1)
  const end = turn % 3 === 0 ? bytes.length : Math.min(bytes.length, start + random.int(1, 4096))
  for (let at = start; at < end; at++) bytes[at] = random.int(0, 255)
  fs.writeFileSync(file, bytes)
}

/** Bytes flipped, and lengths cut, in a part in memory for each damage to a directory: those cost a start each. */
const FLIPS = 48

/** Reads everything of a part that a part in memory can be asked. */
function flipInTurn(turn: number): void {
  golden ??= goldenPart()
  const { bytes, expected, filesystem, path } = golden
  for (let flip = 0; flip < FLIPS; flip++) {
    const at = (turn * FLIPS + flip) % bytes.length
    for (const damaged of [flipped(bytes, at, turn % 8), bytes.slice(0, at)]) {
      filesystem.files.set(path, damaged)
      let text: string
      try {
        const part = openPart(filesystem, path, createChunkCache(1 << 20))
        text = textOfPart(part)
        part.close()
      } catch (error) {
        if (error instanceof CorruptPartError) continue
        throw error
      }
      if (text !== expected || damaged.length !== bytes.length)
        throw new Finding(`corruption: byte ${at} of a part: it answers otherwise`, text.slice(0, 2000))
    }
  }
}

function flipped(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  const damaged = bytes.slice()
  damaged[at]! ^= 1 << bit
  return damaged
}

let golden: ReturnType<typeof goldenPart> | null = null

function goldenPart() {
  const { filesystem, path, part, bytes } = partOf(...goldenBlocks())
  return { filesystem, path, bytes, expected: textOfPart(part) }
}

async function run(seed: number): Promise<Outcome> {
  flipInTurn(seed)
  made ??= makeSample()
  const sample = await made
  const directory = fs.mkdtempSync(join(tmpdir(), 'quern-corrupted-'))
  // Bytes and lengths are many, the rest is few: three seeds of four go to them.
  const turn = Math.floor(seed / 4)
  const [name, apply] = seed % 4 === 3 ? DAMAGES[2 + (turn % (DAMAGES.length - 2))]! : DAMAGES[seed % 4 === 2 ? 1 : 0]!
  const own = seed % 4 === 1 ? turn * 2 + 1 : seed % 4 === 0 ? turn * 2 : turn
  try {
    fs.cpSync(sample.directory, directory, { recursive: true })
    apply(directory, sample, own, seed)
    const { rows, named } = await ask(directory)
    const problem = problemOf(sample, rows, named)
    if (problem !== null) throw new Finding(`corruption: ${name}: ${problem}`, named)
    return 'agreed'
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** What is wrong with the answer; null: nothing. */
function problemOf(sample: Sample, rows: ReadonlyMap<string, readonly Row[]>, named: string): string | null {
  const nameless = rows.get('') ?? []
  for (const [part, expected] of sample.rows) {
    const found = rows.get(part) ?? []
    if (!named.includes(part)) {
      if (found.length !== expected.length)
        return `part ${part}: ${found.length} of ${expected.length} rows, and nobody says why`
      if (!found.every((row, at) => sameRow(row, expected[at]!))) return `part ${part} answers otherwise`
    } else {
      if (found.length + nameless.length > expected.length) return `part ${part} gives more rows than it has`
      if (![...found, ...nameless].every(row => expected.some(whole => isPartOf(row, whole))))
        return `part ${part} gives values that never were`
    }
  }
  if (nameless.length > 0 && !sample.parts.some(part => named.includes(part))) return 'rows of no index'
  const strange = [...rows.keys()].find(part => part !== '' && !sample.rows.has(part))
  return strange === undefined ? null : `rows of ${strange}, which never was`
}

export const corruption: Target = {
  name: 'corruption',
  summary: 'a damaged directory opens, gives whole sound parts and names the others',
  skipLimit: 0,
  run,
}
