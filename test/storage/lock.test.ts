import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { LockedError } from '../../storage/errors.ts'
import { lockDirectory } from '../../storage/lock.ts'
import { openStore } from '../../storage/store.ts'
import { withDirectory } from './store-support.ts'

/** A pid that was just in use and is no more. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

test('a directory has one owner at a time, and the error names it', () =>
  withDirectory(async directory => {
    const lock = lockDirectory(directory)
    assert.throws(() => lockDirectory(directory), new RegExp(`pid ${process.pid}`))
    await assert.rejects(openStore({ directory }), LockedError)
    lock.release()
    lock.release()
    lockDirectory(directory).release()
    assert.deepEqual(fs.readdirSync(directory), [])
  }))

test('the lock of another living process holds', () =>
  withDirectory(async directory => {
    fs.writeFileSync(`${directory}/LOCK`, JSON.stringify({ pid: process.ppid, started: null, since: 'yesterday' }))
    assert.throws(() => lockDirectory(directory), new RegExp(`process ${process.ppid} \\(since yesterday\\)`))
    assert.deepEqual(fs.readdirSync(directory), ['LOCK'])
  }))

test('the lock of a dead process is taken over', () =>
  withDirectory(async directory => {
    fs.writeFileSync(`${directory}/LOCK`, JSON.stringify({ pid: deadPid(), started: null, since: 'yesterday' }))
    const store = await openStore({ directory })
    assert.equal(JSON.parse(fs.readFileSync(`${directory}/LOCK`, 'utf8')).pid, process.pid)
    await store.close()
    assert.ok(!fs.existsSync(`${directory}/LOCK`))
  }))

test('a living process that was given the pid of a dead owner is not the owner', () =>
  withDirectory(async directory => {
    fs.writeFileSync(`${directory}/LOCK`, JSON.stringify({ pid: process.pid, started: 'boot/1', since: 'yesterday' }))
    lockDirectory(directory).release()
  }))

test('a lock that says nothing is taken over', () =>
  withDirectory(async directory => {
    fs.writeFileSync(`${directory}/LOCK`, '')
    lockDirectory(directory).release()
  }))

test('the lock of a process that was killed and not collected is taken over', {
  skip: process.platform !== 'linux',
}, async () => {
  // The shell becomes a process that never waits for its child.
  const parent = spawn('sh', ['-c', 'sh -c "sleep 1" & echo $!; exec sleep 20'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const pid = await new Promise<number>(resolve => parent.stdout.once('data', data => resolve(Number(String(data)))))
    for (let tries = 0; tries < 1000 && !/\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1')); tries++) {
      await setTimeout(10)
    }
    await withDirectory(async directory => {
      fs.writeFileSync(`${directory}/LOCK`, JSON.stringify({ pid, started: null, since: 'yesterday' }))
      lockDirectory(directory).release()
    })
  } finally {
    parent.kill('SIGKILL')
  }
})
