/** Chunks are compressed and read in several threads at once: scans, merges and flushes. The process must live through it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { compressZstd, decompressZstd } from '../../storage/part/zstd.ts'
import '../../storage/part/zstd-ready.ts'

const ROUNDS = 40

function churn(seed: number): number {
  let right = 0
  for (let round = 0; round < ROUNDS; round++) {
    const raw = Uint8Array.from({ length: 60_000 + round * 311 }, (_, at) => ((at * at * seed + round) >>> 3) & 31)
    const stored = compressZstd(raw, 1 + (round % 9))!
    if (Buffer.compare(Buffer.from(decompressZstd(stored, raw.length)), raw) === 0) right++
  }
  return right
}

if (!isMainThread) parentPort?.postMessage(churn(7))
else {
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
