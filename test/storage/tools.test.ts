/** What is done to a data directory as a whole: verifying it finds any damage, repairing it loses nothing else, a backup comes back. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  BackupError,
  backupDirectory,
  inspectPart,
  listParts,
  NoDataDirectoryError,
  open,
  repairDirectory,
  restoreDirectory,
  verifyDirectory,
} from '../../engine.ts'
import { LockedError } from '../../storage/errors.ts'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import { DateTime } from '../../storage/value.ts'

const root = fs.mkdtempSync(join(tmpdir(), 'quern-tools-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))

let directories = 0
const fresh = (): string => join(root, String(directories++))

type Engine = Awaited<ReturnType<typeof open>>

function add(engine: Engine, from: number, count: number): void {
  engine.ingest(
    Array.from({ length: count }, (_, n) => ({
      index: 'main',
      time: new DateTime(1.78e15 + (from + n) * 1000),
      raw: `user ${n % 5} logged in from the office, attempt ${from + n}`,
      fields: new Map<string, number | string>([['n', from + n]]),
    })),
  )
}

async function numbersOf(engine: Engine): Promise<number[]> {
  const { rows } = await engine.query('from * | keep n').collect()
  return rows.map(([n]) => Number(n)).sort((a, b) => a - b)
}

/** A directory with a part for each hundred events. */
async function directoryOf(partCount: number): Promise<string> {
  const directory = fresh()
  const engine = await open(directory, { compactionWorkers: 0, threads: 0 })
  for (let part = 0; part < partCount; part++) {
    add(engine, part * 100, 100)
    await engine.flush()
  }
  await engine.documents.put('queries', 'q1', { name: 'mine', q: 'where n > 5' })
  await engine.close()
  return directory
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

async function opened<T>(directory: string, use: (engine: Engine) => Promise<T> | T): Promise<T> {
  const engine = await open(directory, { compactionWorkers: 0, threads: 0 })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

const partFile = (directory: string, number: number): string =>
  `${directory}/parts/${listParts(directory).parts[number]!.id}.part`

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file)
  bytes[at]! ^= 1
  fs.writeFileSync(file, bytes)
}

test('a sound directory is said to be sound, and its bytes add up', async () => {
  const directory = await directoryOf(3)
  const { isSound, parts, catalog } = await verifyDirectory(directory)
  assert.ok(isSound, JSON.stringify(parts))
  assert.equal(catalog.state, 'agrees')
  assert.deepEqual(
    parts.map(({ rowCount }) => rowCount),
    [100, 100, 100],
  )
  for (const { id, sizeBytes } of listParts(directory).parts) {
    const { columns, indexBytes, frameBytes } = inspectPart(NODE_FILESYSTEM, `${directory}/parts/${id}.part`)
    const sum = columns.reduce((all, { totalBytes }) => all + totalBytes, 0) + indexBytes + frameBytes
    assert.equal(sum, sizeBytes)
  }
})

test('verify finds a flipped bit wherever it is, and says which part', async () => {
  const directory = await directoryOf(1)
  const file = partFile(directory, 0)
  const bytes = fs.readFileSync(file)
  for (let at = 0; at < bytes.length; at += 17) {
    flip(file, at)
    const { isSound, parts } = await verifyPartsOnly(directory)
    assert.equal(isSound, false, `byte ${at}`)
    assert.equal(parts.length, 1)
    assert.notEqual(parts[0]!.problem, null)
    fs.writeFileSync(file, bytes)
  }
})

/** Without the catalog, which takes a process to read. */
async function verifyPartsOnly(directory: string): ReturnType<typeof verifyDirectory> {
  const aside = `${directory}/parts-only`
  fs.mkdirSync(aside, { recursive: true })
  fs.cpSync(`${directory}/parts`, `${aside}/parts`, { recursive: true })
  try {
    return await verifyDirectory(aside)
  } finally {
    fs.rmSync(aside, { recursive: true })
  }
}

test('verify says what the catalog says otherwise, and changes nothing', async () => {
  const directory = await directoryOf(2)
  const gone = listParts(directory).parts[0]!.id
  fs.rmSync(`${directory}/parts/${gone}.part`)
  const { catalog, isSound } = await verifyDirectory(directory)
  assert.equal(isSound, false)
  assert.deepEqual(catalog, {
    state: 'differs',
    differences: [`the catalog lists ${gone}, which has no file that serves`],
  })
  fs.writeFileSync(`${directory}/catalog/data.mdb`, Buffer.alloc(8192, 7))
  assert.equal((await verifyDirectory(directory)).catalog.state, 'damaged')
  fs.rmSync(`${directory}/catalog`, { recursive: true })
  assert.equal((await verifyDirectory(directory)).catalog.state, 'absent')
  assert.ok(!fs.existsSync(`${directory}/catalog`))
})

test('verify may run while an engine owns the directory', async () => {
  const directory = await directoryOf(1)
  await opened(directory, async engine => {
    add(engine, 100, 50)
    await engine.flush()
    const { isSound, parts } = await verifyDirectory(directory)
    assert.ok(isSound)
    assert.equal(parts.length, 2)
  })
})

test('what is no data directory is refused, not made', async () => {
  const directory = fresh()
  await assert.rejects(verifyDirectory(directory), NoDataDirectoryError)
  await assert.rejects(repairDirectory(directory), NoDataDirectoryError)
  await assert.rejects(backupDirectory(directory, fresh()), NoDataDirectoryError)
  assert.ok(!fs.existsSync(directory))
})

test('repair sets the damaged part aside with its reason, makes the catalog anew and keeps everything else', async () => {
  const directory = await directoryOf(3)
  const damaged = listParts(directory).parts[1]!.id
  flip(`${directory}/parts/${damaged}.part`, 60)
  fs.writeFileSync(`${directory}/catalog/data.mdb`, 'nonsense')
  fs.writeFileSync(`${directory}/parts/tmp_x.part`, 'half')
  const { quarantined, partCount, eventCount, documents } = await repairDirectory(directory)
  assert.deepEqual(
    quarantined.map(({ part }) => part),
    [damaged],
  )
  assert.match(quarantined[0]!.reason, /is damaged at byte/)
  assert.deepEqual([partCount, eventCount, documents], [2, 200, null])
  assert.ok(fs.existsSync(`${directory}/quarantine/${damaged}.part`))
  assert.ok((await verifyDirectory(directory)).isSound)
  await opened(directory, async engine => {
    assert.deepEqual(await numbersOf(engine), [...range(0, 100), ...range(200, 300)])
    assert.deepEqual(engine.documents.get('queries', 'q1'), { name: 'mine', q: 'where n > 5' })
  })
})

test('repair does not touch a directory that someone uses', async () => {
  const directory = await directoryOf(1)
  await opened(directory, async () => {
    await assert.rejects(repairDirectory(directory), LockedError)
  })
})

test('a copy of a part under another name is set aside at the start: no event is there twice', async () => {
  const directory = await directoryOf(1)
  fs.copyFileSync(partFile(directory, 0), `${directory}/parts/zzz.part`)
  await opened(directory, async engine => {
    assert.deepEqual(await numbersOf(engine), range(0, 100))
    assert.match(engine.status().quarantined[0]!.reason, /the file is named zzz, but its footer says it is part/)
  })
})

test('a backup of an engine in use comes back as it was at that moment, links and documents', async () => {
  const directory = await directoryOf(2)
  const backup = fresh()
  fs.mkdirSync(`${directory}/lookups`)
  fs.writeFileSync(`${directory}/lookups/hosts.csv`, 'host,owner\na,me\n')
  const report = await opened(directory, async engine => {
    add(engine, 200, 10)
    const made = await engine.backup(backup)
    add(engine, 210, 10)
    await engine.flush()
    return made
  })
  assert.deepEqual([report.eventCount, report.linkedCount, report.copiedCount, report.missing], [210, 3, 0, []])
  const [first] = report.parts
  assert.equal(fs.statSync(`${backup}/parts/${first!.id}.part`).nlink, 2)
  // The original may go: a link is a name of its own.
  fs.rmSync(directory, { recursive: true })
  const restored = fresh()
  assert.deepEqual(await restoreDirectory(backup, restored), { partCount: 3, eventCount: 210, documentCount: 1 })
  await opened(restored, async engine => {
    assert.deepEqual(await numbersOf(engine), range(0, 210))
    assert.deepEqual(engine.documents.get('queries', 'q1'), { name: 'mine', q: 'where n > 5' })
    add(engine, 500, 1)
  })
  assert.equal(fs.readFileSync(`${restored}/lookups/hosts.csv`, 'utf8'), 'host,owner\na,me\n')
  assert.ok((await verifyDirectory(restored)).isSound)
})

test('backups taken while parts are merged have every event once', async () => {
  const directory = await directoryOf(12)
  await opened(directory, async engine => {
    const merging = engine.storage.compact()
    const taken: string[] = []
    for (let round = 0; round < 4; round++) {
      const target = fresh()
      await backupDirectory(directory, target)
      taken.push(target)
    }
    await merging
    for (const target of taken) {
      const restored = fresh()
      assert.equal((await restoreDirectory(target, restored)).eventCount, 1200)
      assert.deepEqual(await opened(restored, numbersOf), range(0, 1200))
    }
  })
})

test('a damaged backup is refused before anything is written', async () => {
  const directory = await directoryOf(2)
  const backup = fresh()
  await backupDirectory(directory, backup, { copy: true })
  const target = fresh()
  const file = partFile(backup, 0)
  const bytes = fs.readFileSync(file)
  flip(file, bytes.length >> 1)
  await assert.rejects(restoreDirectory(backup, target), /is damaged: part .* is damaged at byte/)
  fs.rmSync(file)
  await assert.rejects(restoreDirectory(backup, target), /part .* is missing/)
  fs.writeFileSync(file, bytes)
  fs.rmSync(`${backup}/manifest.json`)
  await assert.rejects(restoreDirectory(backup, target), /is no complete backup/)
  assert.ok(!fs.existsSync(target))
})

test('neither a backup nor a restore writes over what is there', async () => {
  const directory = await directoryOf(1)
  await assert.rejects(backupDirectory(directory, directory), BackupError)
  const backup = fresh()
  await backupDirectory(directory, backup)
  await assert.rejects(restoreDirectory(backup, directory), /is not empty/)
})
