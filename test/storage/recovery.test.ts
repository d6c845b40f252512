import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { test } from 'node:test'
import { CorruptPartError } from '../../storage/errors.ts'
import { type Filesystem, NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import { openStore } from '../../storage/store.ts'
import { ingestUntilKilled } from './kill.ts'
import { DAY, event, numbersIn, range, T0, withDirectory } from './store-support.ts'

const NEVER = { flushAgeMs: 1e9 }

test('after kill -9 every event acknowledged as published is there, and none twice', () =>
  withDirectory(async directory => {
    const acknowledged: number[] = []
    for (let round = 0; round < 3; round++) {
      const published = await ingestUntilKilled(directory, round * 1_000_000, 60 + round * 45)
      assert.ok(published.length > 0, 'the child has published something')
      acknowledged.push(...published.flatMap(([from, to]) => range(from, to)))
      const store = await openStore({ directory, ...NEVER })
      const found = numbersIn(store)
      assert.equal(new Set(found).size, found.length)
      const present = new Set(found)
      assert.deepEqual(
        acknowledged.filter(n => !present.has(n)),
        [],
      )
      assert.deepEqual(store.status().quarantined, [])
      await store.close()
    }
  }))

/** Three parts of ten events each, one a day; the paths of their files in order. */
async function threeParts(directory: string): Promise<string[]> {
  const store = await openStore({ directory, ...NEVER, blockRows: 4 })
  for (let day = 0; day < 3; day++) {
    store.append(range(day * 10, day * 10 + 10).map(n => event({ n, s: `v${n}` }, { micros: T0 + day * DAY })))
    await store.flush()
  }
  await store.close()
  return fs
    .readdirSync(`${directory}/parts`)
    .sort()
    .map(name => `${directory}/parts/${name}`)
}

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file)
  const position = at < 0 ? bytes.length + at : at
  bytes[position] = (bytes[position] ?? 0) ^ 0x55
  fs.writeFileSync(file, bytes)
}

test('a part with a damaged footer is set aside by name when the store opens, and the rest serves', () =>
  withDirectory(async directory => {
    const files = await threeParts(directory)
    flip(files[1] ?? '', -20)
    const store = await openStore({ directory, ...NEVER })
    const { quarantined, partCount } = store.status()
    assert.equal(partCount, 2)
    assert.equal(quarantined.length, 1)
    assert.ok(files[1]?.includes(quarantined[0]?.part ?? '?'))
    assert.match(quarantined[0]?.reason ?? '', /damaged/)
    assert.deepEqual(numbersIn(store), [...range(0, 10), ...range(20, 30)])
    assert.ok(fs.existsSync(`${directory}/quarantine/${quarantined[0]?.part}.part`))
    await store.close()
    const again = await openStore({ directory, ...NEVER })
    assert.deepEqual(again.status().quarantined, quarantined)
    await again.close()
  }))

test('a part that proves damaged while it is read is set aside then, and the next query serves the rest', () =>
  withDirectory(async directory => {
    const files = await threeParts(directory)
    const file = files[0] ?? ''
    // Somewhere in the chunks: behind the header, far before the footer.
    flip(file, 40)
    const told: string[] = []
    const store = await openStore({ directory, ...NEVER, onDamage: ({ part }) => told.push(part) })
    assert.equal(store.status().partCount, 3)
    assert.deepEqual(told, [])
    assert.throws(() => numbersIn(store), CorruptPartError)
    assert.deepEqual(
      store.status().quarantined.map(({ part }) => part),
      told,
    )
    assert.ok(file.includes(told[0] ?? '?'))
    assert.equal(store.status().partCount, 2)
    assert.deepEqual(numbersIn(store), range(10, 30))
    assert.ok(!fs.existsSync(file))
    await store.close()
    const again = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(again), range(10, 30))
    assert.equal(again.status().quarantined.length, 1)
    await again.close()
  }))

test('a part cut short, and an empty one, are set aside', () =>
  withDirectory(async directory => {
    const files = await threeParts(directory)
    fs.truncateSync(files[0] ?? '', 50)
    fs.truncateSync(files[2] ?? '', 0)
    const store = await openStore({ directory, ...NEVER })
    assert.equal(store.status().quarantined.length, 2)
    assert.deepEqual(numbersIn(store), range(10, 20))
    await store.close()
  }))

test('what a cut-off write left behind is removed', () =>
  withDirectory(async directory => {
    await threeParts(directory)
    fs.writeFileSync(`${directory}/parts/tmp_x.part`, 'half')
    const store = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(store), range(0, 30))
    assert.equal(fs.readdirSync(`${directory}/parts`).length, 3)
    await store.close()
  }))

test('a part whose file is gone is dropped from the catalog and reported once', () =>
  withDirectory(async directory => {
    const files = await threeParts(directory)
    fs.unlinkSync(files[2] ?? '')
    const store = await openStore({ directory, ...NEVER })
    assert.match(store.status().quarantined[0]?.reason ?? '', /missing/)
    assert.deepEqual(numbersIn(store), range(0, 20))
    await store.close()
    const again = await openStore({ directory, ...NEVER })
    assert.deepEqual(again.status().quarantined, [])
    await again.close()
  }))

test('a catalog that was deleted is made anew from the parts', () =>
  withDirectory(async directory => {
    await threeParts(directory)
    fs.rmSync(`${directory}/catalog`, { recursive: true })
    const store = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(store), range(0, 30))
    assert.equal(store.append([event({ n: 30 })]).first, 31)
    assert.deepEqual(store.status().quarantined, [])
    await store.close()
  }))

test('a catalog full of garbage is made anew from the parts', () =>
  withDirectory(async directory => {
    await threeParts(directory)
    const file = `${directory}/catalog/data.mdb`
    const whole = fs.readFileSync(file)
    const pages = Buffer.from(whole.map((byte, at) => (at < 8192 ? byte : (at * 31) & 255)))
    for (const garbage of [Buffer.alloc(whole.length), Buffer.from('not a database'), Buffer.alloc(0), pages]) {
      fs.writeFileSync(file, garbage)
      const store = await openStore({ directory, ...NEVER })
      assert.deepEqual(numbersIn(store), range(0, 30))
      assert.deepEqual(store.status().quarantined, [])
      await store.close()
    }
  }))

test('a part that cannot be read when the store opens is not overwritten by a new one, and is there again later', () =>
  withDirectory(async directory => {
    const clock = () => T0 / 1000
    const store = await openStore({ directory, ...NEVER, clock })
    for (const n of [1, 2]) {
      store.append([event({ n })])
      await store.flush()
    }
    await store.close()
    let isFailing = true
    const filesystem: Filesystem = {
      ...NODE_FILESYSTEM,
      read(...place) {
        if (isFailing) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
        return NODE_FILESYSTEM.read(...place)
      },
    }
    const blind = await openStore({ directory, ...NEVER, clock, filesystem })
    assert.equal(blind.status().partCount, 0)
    assert.equal(blind.status().quarantined.length, 2)
    isFailing = false
    blind.append([event({ n: 3 })])
    await blind.flush()
    await blind.close()
    const again = await openStore({ directory, ...NEVER, clock })
    assert.deepEqual(numbersIn(again), [1, 2, 3])
    assert.deepEqual(again.status().quarantined, [])
    await again.close()
  }))
