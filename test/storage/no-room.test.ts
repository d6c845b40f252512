/** A disk without room, from the start on: what is there is served, what comes is refused, and all is well once there is room. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fsModule, * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { BackpressureError, LockedError } from '../../storage/errors.ts'
import type { Store } from '../../storage/index.ts'
import { lockDirectory } from '../../storage/lock.ts'
import { openStore } from '../../storage/store.ts'
import { event, fillableFilesystem, numbersIn, withDirectory } from './store-support.ts'

const NEVER = { flushAgeMs: 1e9, compactionWorkers: 0 }

async function writeOne(store: Store, n: number): Promise<void> {
  store.append([event({ n })])
  await store.flush()
}

/** `body` with nobody able to write a file at once, as on a full disk. */
function withoutRoom(body: () => void): void {
  const mutable: { writeFileSync: typeof fs.writeFileSync } = fsModule
  const { writeFileSync } = mutable
  mutable.writeFileSync = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
  try {
    body()
  } finally {
    mutable.writeFileSync = writeFileSync
    syncBuiltinESMExports()
  }
}

test('a lock takes no room: it holds, names its owner, and is taken over from the dead', () =>
  withDirectory(async directory => {
    const file = `${directory}/LOCK`
    withoutRoom(() => {
      const lock = lockDirectory(directory)
      assert.equal(fs.readlinkSync(file).split(' ')[0], String(process.pid))
      assert.throws(() => lockDirectory(directory), LockedError)
      lock.release()
      assert.deepEqual(fs.readdirSync(directory), [])

      fs.symlinkSync(`${process.ppid} `, file)
      assert.throws(() => lockDirectory(directory), new RegExp(`process ${process.ppid}`))
      fs.unlinkSync(file)

      fs.symlinkSync(`${process.pid} boot/1`, file)
      lockDirectory(directory).release()
      fs.symlinkSync('nothing sensible', file)
      lockDirectory(directory).release()
    })
    // Where there is room again, one of before is no obstacle.
    fs.symlinkSync(`${process.pid} boot/1`, file)
    lockDirectory(directory).release()
    assert.deepEqual(fs.readdirSync(directory), [])
  }))

test('a store opens without room for its catalog and its documents, and has both once there is room', () =>
  withDirectory(async directory => {
    const before = await openStore({ directory, ...NEVER })
    await writeOne(before, 0)
    await before.close()
    for (const name of ['catalog', 'documents']) fs.rmSync(`${directory}/${name}`, { recursive: true })

    const filesystem = fillableFilesystem()
    filesystem.full = true
    const store = await openStore({ directory, ...NEVER, filesystem })
    assert.deepEqual(numbersIn(store), [0])
    assert.deepEqual(store.status().quarantined, [])
    await assert.rejects(store.documents.put('saved', 'a', 1), BackpressureError)
    assert.equal(store.documents.get('saved', 'a'), undefined)
    assert.equal(await store.documents.delete('saved', 'a'), false)
    await assert.rejects(writeOne(store, 1), /ENOSPC/)
    assert.throws(() => store.append([event({ n: 2 })]), BackpressureError)
    assert.deepEqual(numbersIn(store), [0, 1])

    filesystem.full = false
    await store.documents.put('saved', 'a', 1)
    await store.flush()
    await writeOne(store, 2)
    assert.equal(store.status().isDiskFull, false)
    assert.equal(store.status().lastFlushError, null)
    await store.close()

    const after = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(after), [0, 1, 2])
    assert.equal(after.documents.get('saved', 'a'), 1)
    assert.deepEqual(after.status().quarantined, [])
    await after.close()
  }))

test('a store whose events find no room even at its end says how many they are', () =>
  withDirectory(async directory => {
    const filesystem = fillableFilesystem()
    const store = await openStore({ directory, ...NEVER, filesystem })
    store.append([event({ n: 0 }), event({ n: 1 })])
    filesystem.full = true
    await assert.rejects(store.close(), /^UnwrittenEventsError: 2 events that were accepted .*ENOSPC/)
  }))

const MOUNTS = process.platform === 'linux' && process.getuid?.() === 0

/** `body` with a disk of its own, of 4 MiB; false: it cannot be had here. */
async function withDisk(body: (directory: string, fill: () => void, makeRoom: () => void) => Promise<void>) {
  let hasDisk = false
  await withDirectory(async directory => {
    hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory]).status === 0
    if (!hasDisk) return
    const fill = (): void => {
      const fd = fs.openSync(`${directory}/filler`, 'a')
      const bytes = new Uint8Array(4096)
      try {
        for (;;) if (fs.writeSync(fd, bytes) === 0) break
      } catch (error) {
        assert.match(String(error), /ENOSPC/)
      } finally {
        fs.closeSync(fd)
      }
    }
    try {
      await body(`${directory}/data`, fill, () => fs.rmSync(`${directory}/filler`))
    } finally {
      spawnSync('umount', ['-l', directory])
    }
  })
  return hasDisk
}

test('on a disk that is really full a store that was killed opens with its documents, and goes on by itself', {
  skip: MOUNTS ? false : 'only root may mount a disk',
}, async context => {
  const hasDisk = await withDisk(async (directory, fill, makeRoom) => {
    const before = await openStore({ directory, ...NEVER })
    await writeOne(before, 0)
    await before.documents.put('saved', 'key', { text: 'x'.repeat(3000) })
    await before.close()
    // As a kill leaves it.
    for (const name of ['catalog', 'documents']) fs.rmSync(`${directory}/${name}/SEAL`)

    for (const ending of ['full', 'with room'] as const) {
      fill()
      const store = await openStore({ directory, ...NEVER })
      assert.deepEqual(store.status().quarantined, [])
      assert.equal((store.documents.get('saved', 'key') as { text: string }).text.length, 3000)
      const present = numbersIn(store)
      // LMDB finds a page it may use again here and there: in the end there are none.
      await assert.rejects(async () => {
        for (let n = 0; n < 100; n++) await store.documents.put('saved', `more${n}`, 'y'.repeat(9000))
      }, BackpressureError)
      await assert.rejects(writeOne(store, present.length), /ENOSPC/)
      if (ending === 'full') {
        await assert.rejects(store.close(), /1 event that was accepted/)
        continue
      }
      makeRoom()
      await store.flush()
      await store.documents.put('saved', 'other', 2)
      assert.deepEqual(numbersIn(store), [...present, present.length])
      await store.close()
    }
    const after = await openStore({ directory, ...NEVER })
    assert.deepEqual(after.status().quarantined, [])
    assert.deepEqual(numbersIn(after), [0, 1])
    assert.equal(after.documents.get('saved', 'other'), 2)
    await after.close()
  })
  if (!hasDisk) context.skip('no disk could be mounted')
})
