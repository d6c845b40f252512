/** Chunks are compressed and read in several threads at once: scans, merges and flushes. The process must live through it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { borrowCompressor, compressZstd, decompressZstd, returnCompressor } from '../../storage/part/zstd.ts'
import '../../storage/part/zstd-ready.ts'

const ROUNDS = 40

const rawOf = (seed: number, round: number) =>
  Uint8Array.from({ length: 60_000 + round * 311 }, (_, at) => ((at * at * seed + round) >>> 3) & 31)

function churn(seed: number): number {
  let right = 0
  for (let round = 0; round < ROUNDS; round++) {
    const raw = rawOf(seed, round)
    const stored = compressZstd(raw, 1 + (round % 9))!
    if (Buffer.compare(Buffer.from(decompressZstd(stored, raw.length)), raw) === 0) right++
  }
  return right
}

const borrows = (data: unknown) => typeof data === 'object' && data !== null && 'compressor' in data

if (!isMainThread) {
  const compressed = () => Array.from({ length: ROUNDS }, (_, round) => compressZstd(rawOf(7, round), 1 + (round % 9)))
  parentPort?.postMessage(borrows(workerData) ? compressed() : churn(7))
} else {
  test('a thread that borrows the compressor of this one takes turns with it, and writes what it would', async () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: borrowCompressor() })
    const ended = new Promise<unknown>((resolve, reject) => worker.once('message', resolve).once('error', reject))
    for (let round = 0; round < 4; round++) {
      assert.equal(churn(round + 1), ROUNDS)
      await new Promise(resolve => setImmediate(resolve))
    }
    const stored = (await ended) as Uint8Array[]
    for (const [round, bytes] of stored.entries()) {
      const raw = rawOf(7, round)
      assert.deepEqual(Buffer.from(bytes), Buffer.from(compressZstd(raw, 1 + (round % 9))!))
      assert.deepEqual(Buffer.from(decompressZstd(bytes, raw.length)), Buffer.from(raw))
    }
  })

  test('a thread that ended while it compressed keeps nobody else from it', () => {
    const { compressor } = borrowCompressor()
    compressor![0] = 99 + 1
    returnCompressor(98)
    assert.equal(compressor![0], 99 + 1)
    returnCompressor(99)
    assert.equal(churn(3), ROUNDS)
    assert.equal(compressor![0], 0)
  })

  test('threads that compress at the same time do not disturb each other', async () => {
    const workers = [0, 1].map(() => new Worker(new URL(import.meta.url)))
    const ended = workers.map(
      worker => new Promise<unknown>((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    )
    const own: number[] = []
    // A turn between two rounds, so that what the workers say is heard while this thread works.
    for (let round = 0; round < 4; round++) {
      own.push(churn(round + 1))
      await new Promise(resolve => setImmediate(resolve))
    }
    assert.deepEqual(await Promise.all(ended), [ROUNDS, ROUNDS])
    assert.deepEqual(own, [ROUNDS, ROUNDS, ROUNDS, ROUNDS])
  })
}
