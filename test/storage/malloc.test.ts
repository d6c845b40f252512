import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Glibc, malloc, mallocOf } from '../../storage/malloc.ts'

interface Called {
  readonly calls: (readonly [name: string, ...args: number[]])[]
  readonly glibc: Glibc
  /** The trim that is under way ends. */
  finish(): void
}

function called(): Called {
  const calls: (readonly [string, ...number[]])[] = []
  let finish = (): void => {}
  const glibc: Glibc = {
    gnu_get_libc_version: () => '2.36',
    malloc_trim(pad) {
      calls.push(['malloc_trim', pad])
      return new Promise(resolve => {
        finish = () => resolve(1)
      })
    },
    mallopt(parameter, value) {
      calls.push(['mallopt', parameter, value])
      return 1
    },
  }
  return { calls, glibc, finish: () => finish() }
}

test('buffers of a size and more go back at once, also where a thread freed them', () => {
  const { calls, glibc } = called()
  const found = mallocOf(() => glibc, {})
  assert.equal(found.absent, null)
  assert.deepEqual(calls, [], 'asking for it changes nothing')
  found.giveBackFrom(131072)
  assert.deepEqual(calls, [
    ['mallopt', -3, 131072],
    ['mallopt', -1, 131072],
    ['mallopt', -8, 2],
  ])
})

test('what the environment says of the allocator stands', () => {
  for (const environment of [{ MALLOC_MMAP_THRESHOLD_: '65536' }, { GLIBC_TUNABLES: 'glibc.malloc.arena_max=1' }]) {
    const { calls, glibc } = called()
    mallocOf(() => glibc, environment).giveBackFrom(131072)
    assert.deepEqual(calls, [])
  }
  const { calls, glibc } = called()
  mallocOf(() => glibc, { GLIBC_TUNABLES: 'glibc.cpu.x86_ibt=off' }).giveBackFrom(131072)
  assert.equal(calls.length, 3, 'of something else')
})

test('one trim at a time: who asks meanwhile waits for the same', async () => {
  const { calls, glibc, finish } = called()
  const found = mallocOf(() => glibc, {})
  const first = found.trim()
  assert.equal(found.trim(), first)
  assert.deepEqual(calls, [['malloc_trim', 0]])
  finish()
  await first
  const second = found.trim()
  assert.equal(calls.length, 2)
  finish()
  await second
})

test('where there is no glibc, or nothing to call it with, the reason is told and nothing is done', async () => {
  const missing = mallocOf(() => {
    throw new Error("Cannot find module 'ffi-rs'")
  }, {})
  assert.equal(missing.absent, "Cannot find module 'ffi-rs'")
  missing.giveBackFrom(131072)
  await missing.trim()
  const { calls, glibc } = called()
  const gnu_get_libc_version = (): string => {
    throw new Error('Cannot find "gnu_get_libc_version" function in shared library')
  }
  const other = mallocOf(() => ({ ...glibc, gnu_get_libc_version }), {})
  assert.equal(other.absent, 'Cannot find "gnu_get_libc_version" function in shared library')
  other.giveBackFrom(131072)
  await other.trim()
  assert.deepEqual(calls, [])
})

test('its package is loaded without a report of the process, which is as before afterwards', () => {
  const report = process.report as { getReport: () => object }
  const { getReport } = report
  let reports = 0
  const counted = (): object => {
    reports++
    return getReport.call(process.report)
  }
  report.getReport = counted
  try {
    malloc()
    assert.equal(reports, 0, 'Node would walk its stack, and keep the tables for that in memory')
    assert.equal(report.getReport, counted)
  } finally {
    report.getReport = getReport
  }
})

test('of this process it is either there or absent for a reason, and can be called', async () => {
  const found = malloc()
  assert.equal(malloc(), found, 'looked for once')
  assert.notEqual(found.absent, '')
  await found.trim()
})
