/** Parts built in a thread: what arrives there is what was buffered, and what goes wrong there is told or made good here. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BuildInput, type PartToBuild, ThreadBuilder } from '../../storage/build/builder.ts'
import { Packer, Unpacker } from '../../storage/build/handover.ts'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import { MemoryPart } from '../../storage/ingest/memory-part.ts'
import { FAST_COMPRESSION } from '../../storage/part/chunk.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import type { BlockColumns, PartDescription } from '../../storage/part/columns.ts'
import { openPart } from '../../storage/part/read.ts'
import { openStore } from '../../storage/store.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import { WordHashes } from '../../storage/word-hashes.ts'
import { columnArbitrary, valuesOf } from './part-support.ts'
import { allRows, event, numbersIn, range, rowOf, T0, withDirectory } from './store-support.ts'

/** As a message to another thread is. */
const carried = (block: BlockColumns, packer: Packer<SharedArrayBuffer>, unpacker: Unpacker): BlockColumns =>
  unpacker.unpack(structuredClone(packer.pack(block).block))

const newPacker = () => new Packer(bytes => new Uint8Array(new SharedArrayBuffer(bytes)))

function bufferOf(columns: readonly (readonly Value[])[], blockRows: number): MemoryPart {
  const part = new MemoryPart('p', 'main', blockRows)
  const rowCount = Math.max(...columns.map(column => column.length))
  for (let row = 0; row < rowCount; row++) {
    const fields = columns.flatMap((column, at) =>
      column[row] === undefined ? [] : [[`f${at}`, column[row]] as const],
    )
    part.append(event(Object.fromEntries(fields), { raw: row % 3 === 0 ? null : `row ${row}` }), 100, row + 1)
  }
  return part
}

test('blocks arrive in another thread as they were, and stay where they were', () => {
  fc.assert(
    fc.property(
      fc.array(columnArbitrary, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      (columns, blockRows) => {
        const part = bufferOf(columns, blockRows)
        const [packer, unpacker] = [newPacker(), new Unpacker()]
        const contents = ({ rowCount, columns, thin }: BlockColumns) => ({
          rowCount,
          columns: Array.from(columns, ([name, vector]) => [name, vector.kind, valuesOf(vector, rowCount)]),
          thin: Array.from(thin ?? [], ([name, { rows, values }]) => [name, [...rows], valuesOf(values, rows.length)]),
        })
        for (const block of part.columns()) {
          const before = contents(block)
          const there = carried(block, packer, unpacker)
          assert.deepEqual(contents(there), before)
          assert.deepEqual(contents(block), before)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test('a dictionary is one object there too, for all blocks of a part', () => {
  const part = bufferOf([range(0, 30).map(n => `v${n % 3}`)], 10)
  const [packer, unpacker] = [newPacker(), new Unpacker()]
  const dictionaries = Array.from(part.columns(), block => {
    const vector = carried(block, packer, unpacker).columns.get('f0')
    assert.equal(vector?.kind, 'dict')
    return vector.dictionary
  })
  assert.equal(dictionaries.length, 3)
  assert.equal(new Set(dictionaries).size, 1)
})

test('a dictionary that has grown since the part before travels without what that had', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom(null, undefined))
  /** By field and part: values that are new, whether any block has it, and whether it goes on. */
  const field = fc.array(fc.tuple(fc.array(value, { maxLength: 5 }), fc.boolean(), fc.boolean()), { maxLength: 5 })
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 3 }), fields => {
      const [packer, unpacker] = [newPacker(), new Unpacker()]
      const grown = fields.map(() => ({ values: [] as Value[], words: new WordHashes() }))
      /** What the other side has. */
      const known = fields.map(() => 0)
      for (let part = 0; part < 5; part++) {
        if (part > 0) packer.nextPart()
        if (part > 0) unpacker.nextPart()
        for (const [at, parts] of fields.entries()) {
          const [fresh, isThere, goesOn] = parts[part] ?? [[], false, true]
          if (!goesOn) grown[at] = { values: [], words: new WordHashes() }
          if (!goesOn) known[at] = 0
          const { values, words } = grown[at]!
          values.push(...fresh)
          if (!isThere || values.length === 0) known[at] = 0
          if (!isThere || values.length === 0) continue
          const dictionary = { values: values.slice(), words, isDistinct: true as const }
          const rows = values.length
          const vector: Vector = { kind: 'dict', rowCount: rows, codes: Uint16Array.from(values.keys()), dictionary }
          const first = packer.pack({ rowCount: rows, columns: new Map([['f', vector]]) }).block
          const packed = first.columns[0]![1]
          assert.ok(packed.kind === 'dict' && packed.packed !== null && 'plain' in packed.packed)
          assert.equal(packed.packed.plain.length, rows - known[at]!)
          known[at] = rows
          const there = unpacker.unpack(structuredClone(first)).columns.get('f')
          const again = carried({ rowCount: rows, columns: new Map([['f', vector]]) }, packer, unpacker)
          assert.deepEqual(valuesOf(there!, rows), values)
          const twice = again.columns.get('f')
          assert.ok(there?.kind === 'dict' && twice?.kind === 'dict' && there.dictionary === twice.dictionary)
          assert.equal(there.dictionary.isDistinct, true)
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('a store whose parts are built in a thread holds what was appended, before and after', () =>
  withDirectory(async directory => {
    const values: Value[] = ['a', 1.5, null, true, 2n ** 60n, new DateTime(5, 7), new Duration(9), ['x', 1], { k: 'v' }]
    const events = range(0, 500).map(n =>
      event({ n, f: values[n % values.length]!, s: `text ${n}` }, { raw: `raw ${n}` }),
    )
    const store = await openStore({ directory, blockRows: 64, builder: new ThreadBuilder(0), compactionWorkers: 0 })
    store.append(events.slice(0, 300))
    const flushing = store.flush()
    store.append(events.slice(300))
    assert.deepEqual(allRows(store), events.map(rowOf))
    await flushing
    await store.flush()
    assert.equal(store.status().bufferedCount, 0)
    assert.deepEqual(allRows(store), events.map(rowOf))
    await store.close()
    const again = await openStore({ directory, compactionWorkers: 0 })
    assert.deepEqual(allRows(again), events.map(rowOf))
    await again.close()
  }))

const inputOf = (part: MemoryPart): BuildInput => ({
  blocks: () => part.columns(),
  bytes: 1e9,
  fieldCount: part.fieldCount,
})

async function build(builder: ThreadBuilder, directory: string, input: BuildInput): Promise<PartDescription> {
  const lineage = { firstSequence: 1, lastSequence: 9, level: 0, replaces: [] }
  const compression = FAST_COMPRESSION
  const part: PartToBuild = { directory, id: 'p', index: 'main', lineage, fsync: true, compression, isHurried: false }
  let isDone = false
  const description = await builder.build(part, input, () => {
    isDone = true
  })
  assert.ok(isDone)
  return description
}

test('what the thread cannot write is told with its code, and the next part is written', () =>
  withDirectory(async directory => {
    const builder = new ThreadBuilder(0)
    const part = bufferOf([range(0, 30)], 10)
    await assert.rejects(build(builder, `${directory}/nowhere`, inputOf(part)), { code: 'ENOENT' })
    const description = await build(builder, directory, inputOf(part))
    assert.equal(description.rowCount, 30)
    assert.deepEqual(fs.readdirSync(directory), ['p.part'])
    await builder.close()
  }))

test('a dictionary goes on from part to part, whatever becomes of one of them', () =>
  withDirectory(async directory => {
    const builder = new ThreadBuilder(0)
    const ROWS = 5000
    let before: MemoryPart | null = null
    for (let number = 0; number < 7; number++) {
      const part: MemoryPart = new MemoryPart('p', 'main', 2048, undefined, before)
      // Of 3,000 users some are new in each part.
      const userOf = (row: number) => `user ${((row * 7919) % 3000) + 500 * number}`
      for (const row of range(0, ROWS)) part.append(event({ user: userOf(row) }, { raw: null }), 100, row + 1)
      if (number === 2) await assert.rejects(build(builder, `${directory}/nowhere`, inputOf(part)), { code: 'ENOENT' })
      if (number === 4) await builder.close()
      await build(builder, directory, inputOf(part))
      const written = openPart(NODE_FILESYSTEM, `${directory}/p.part`, createChunkCache(1 << 24))
      const users = range(0, written.blockCount).flatMap(at =>
        valuesOf(written.block(at).column('user'), written.block(at).rowCount),
      )
      written.close()
      assert.deepEqual(users, range(0, ROWS).map(userOf))
      before = part
    }
    await builder.close()
  }))

test('a block that cannot be had is told, and the next part is written', () =>
  withDirectory(async directory => {
    const builder = new ThreadBuilder(0)
    const part = bufferOf([range(0, 30)], 10)
    const broken: BuildInput = {
      ...inputOf(part),
      blocks: function* () {
        yield [...part.columns()][0]!
        throw new Error('no such block')
      },
    }
    await assert.rejects(build(builder, directory, broken), /no such block/)
    assert.equal((await build(builder, directory, inputOf(part))).rowCount, 30)
    await builder.close()
  }))

test('a thread that is lost half-way is no reason to lose a part', () =>
  withDirectory(async directory => {
    const builder = new ThreadBuilder(0)
    const part = bufferOf([range(0, 60)], 10)
    let asked = 0
    const input: BuildInput = {
      ...inputOf(part),
      blocks: function* () {
        for (const block of part.columns()) {
          if (asked++ === 3) void builder.close()
          yield block
        }
      },
    }
    assert.equal((await build(builder, directory, input)).rowCount, 60)
    assert.deepEqual(fs.readdirSync(directory), ['p.part'])
    await builder.close()
  }))

test('events of a part being built in a thread are counted against the buffer', () =>
  withDirectory(async directory => {
    const options = { directory, builder: new ThreadBuilder(0), bufferBytesMax: 40_000, flushAgeMs: 1e9 }
    const store = await openStore(options)
    store.append(range(0, 200).map(n => event({ n }, { micros: T0 })))
    const flushing = store.flush()
    assert.throws(() => store.append(range(200, 1000).map(n => event({ n }))), /buffer is full/)
    await flushing
    store.append(range(200, 400).map(n => event({ n })))
    await store.flush()
    assert.deepEqual(numbersIn(store), range(0, 400))
    await store.close()
  }))

test('whoever wants room waits for what was buffered first, and what comes meanwhile is written in a hurry', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, flushAgeMs: 1e9 })
    const events = range(0, 3000).map(n =>
      event({ n, message: `word${n % 90} word${(n * 7) % 80} word${(n * 3) % 70}` }),
    )
    store.append(events)
    const first = store.makeRoom()
    await new Promise(resolve => setImmediate(resolve))
    store.append(events)
    const second = store.makeRoom()
    await Promise.all([first, second])
    assert.equal(store.status().bufferedCount, 3000)
    await store.makeRoom()
    assert.equal(store.status().bufferedCount, 0)
    await store.makeRoom()
    const snapshot = store.snapshot()
    const [unhurried, hurried] = snapshot.parts.map(part => part.block(0).columnBytes('message'))
    snapshot.release()
    assert.ok(hurried! > unhurried!)
    assert.equal(numbersIn(store).length, 6000)
    await store.close()
  }))

test('from the second generation on that is full before it is old, or the first that is at once, parts are written in a hurry, if they may be', () =>
  withDirectory(async directory => {
    const events = range(0, 4000).map(n => event({ message: `word${n % 90} word${(n * 7) % 80} word${(n * 3) % 70}` }))
    const bytesOf = async (mayHurry: boolean, fullAfterMs: number) => {
      let now = 0
      const store = await openStore({
        directory: `${directory}/${mayHurry}-${fullAfterMs}`,
        flushRows: 4000,
        mayHurry,
        clock: () => now,
      })
      for (let generation = 0; generation < 3; generation++) {
        store.append(events)
        now += fullAfterMs
        await store.flush()
      }
      const snapshot = store.snapshot()
      const bytes = snapshot.parts.map(part => part.block(0).columnBytes('message'))
      snapshot.release()
      await store.close()
      return bytes
    }
    const [first, second, third] = await bytesOf(true, 900)
    assert.ok(second! > first! && second === third)
    assert.deepEqual(await bytesOf(false, 900), [first, first, first])
    // So fast that there is no doubt.
    assert.deepEqual(await bytesOf(true, 100), [second, second, second])
    assert.deepEqual(await bytesOf(false, 100), [first, first, first])
  }))

test('a hurried part says the same in more bytes, and what is merged of such parts is woven', () =>
  withDirectory(async directory => {
    let now = 0
    const store = await openStore({ directory, flushAgeMs: 1000, clock: () => now, blockRows: 4096 })
    // Words that follow each other by chance are what a general compressor does worst at.
    let seed = 1
    const word = () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
      return `word${(seed >>> 8) % 200}`
    }
    const events = range(0, 4000).map(n => event({ n, message: range(0, 10).map(word).join(' ') }))
    const bytesOf = () => {
      const snapshot = store.snapshot()
      const bytes = snapshot.parts.map(part => part.block(0).columnBytes('message'))
      snapshot.release()
      return bytes
    }
    store.append(events.slice(0, 2000))
    await store.flush()
    store.append(events.slice(2000))
    // As if another part had been written all that time.
    now += 5000
    await store.flush()
    const [unhurried, hurried] = bytesOf()
    assert.ok(hurried! > unhurried! * 1.2, `${hurried} bytes in a hurry, ${unhurried} without`)
    assert.deepEqual(allRows(store), events.map(rowOf))
    now += 1e9
    await store.compact()
    const merged = bytesOf()
    assert.equal(merged.length, 1)
    assert.ok(merged[0]! < unhurried! + hurried!, `${merged} bytes of ${unhurried} and ${hurried}`)
    assert.deepEqual(allRows(store), events.map(rowOf))
    await store.close()
  }))
