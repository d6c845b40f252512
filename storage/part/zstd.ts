/**
 * Zstandard, from wherever this machine has it: Node itself (22.15 and later), else `@cloudpss/zstd`, which ships prebuilt and falls back
 * to WebAssembly. Measured on a block of messages (4.7 MB): 1.25 MB at level 1 where LZ4 gives 1.92, written at 170 MB/s (LZ4: 290) and
 * read at 550 MB/s (LZ4: 580; both wait for memory). Columns of codes have no repeats for LZ4 to find; here they come near their entropy.
 */
import { isMainThread, threadId, workerData } from 'node:worker_threads'
import * as zlib from 'node:zlib'

interface Zstd {
  /** Null: it could not have its turn. */
  compress(raw: Uint8Array, level: number): Uint8Array | null
  decompress(stored: Uint8Array, rawLength: number): Uint8Array
}

/** What Node 22.15 added; the types of Node 20 do not know it. */
interface ZlibWithZstd {
  readonly zstdCompressSync?: (raw: Uint8Array, options: { params: Record<number, number> }) => Buffer
  readonly zstdDecompressSync?: (stored: Uint8Array, options: { maxOutputLength: number }) => Buffer
  readonly constants: { readonly ZSTD_c_compressionLevel?: number }
}

/** Whose turn it is in the native compressor: 0, or a thread's id and one. Null: this thread has none. */
const compressor: Int32Array | null = isMainThread
  ? new Int32Array(new SharedArrayBuffer(4))
  : compressorLent(workerData)

/** What a thread that only compresses is given as its data, to do so with the native compressor: in half the time, and nothing to compile. */
export interface BorrowedCompressor {
  readonly compressor: Int32Array | null
}

export function borrowCompressor(): BorrowedCompressor {
  return { compressor }
}

/** The thread has ended, in whatever it was doing. */
export function returnCompressor(threadId: number): void {
  if (compressor !== null && Atomics.compareExchange(compressor, 0, threadId + 1, 0) === threadId + 1)
    Atomics.notify(compressor, 0)
}

function compressorLent(data: unknown): Int32Array | null {
  const lent = typeof data === 'object' && data !== null && 'compressor' in data ? data.compressor : null
  return lent instanceof Int32Array ? lent : null
}

/** A chunk takes 30 ms. Who waits longer waits for a thread that was ended with it, and is none the worse for writing LZ4. */
const WAIT_MS = 2000

function alone(turn: Int32Array, compress: () => Uint8Array): Uint8Array | null {
  const until = performance.now() + WAIT_MS
  for (let owner = claim(turn); owner !== 0; owner = claim(turn)) {
    const rest = until - performance.now()
    if (rest <= 0) return null
    Atomics.wait(turn, 0, owner, rest)
  }
  try {
    return compress()
  } finally {
    Atomics.store(turn, 0, 0)
    Atomics.notify(turn, 0)
  }
}

/** 0: it is this thread's turn; else whose. */
function claim(turn: Int32Array): number {
  return Atomics.compareExchange(turn, 0, 0, threadId + 1)
}

async function loadZstd(): Promise<Zstd | null> {
  const { zstdCompressSync, zstdDecompressSync, constants } = zlib as unknown as ZlibWithZstd
  const parameter = constants.ZSTD_c_compressionLevel
  if (zstdCompressSync !== undefined && zstdDecompressSync !== undefined && parameter !== undefined) {
    return {
      compress: (raw, level) => zstdCompressSync(raw, { params: { [parameter]: level } }),
      decompress: (stored, rawLength) => zstdDecompressSync(stored, { maxOutputLength: Math.max(1, rawLength) }),
    }
  }
  try {
    // Its native build has one compressor and one decompressor for the whole process: two threads in it at once end the process. So the main
    // thread has both, the thread that builds parts may have the compressor (`borrowCompressor`), and every other thread an instance of the
    // WebAssembly of its own.
    const isBorrowed = compressor !== null && !isMainThread
    const { compress, decompress } = await (compressor !== null
      ? import('@cloudpss/zstd')
      : import('@cloudpss/zstd/wasm'))
    return {
      compress: (raw, level) =>
        compressor === null ? compress(raw, level) : alone(compressor, () => compress(raw, level)),
      decompress: stored => {
        if (isBorrowed) throw new Error('a thread that only writes parts has no decompressor')
        return decompress(stored)
      },
    }
  } catch {
    // Parts are then written with LZ4, and a chunk of zstd says what is wrong when it is met.
    return null
  }
}

let loaded: Zstd | null = null

/** To be awaited before part files are read or written (`zstd-ready.ts`): a process that has none does not pay for loading it. */
export async function readyZstd(): Promise<void> {
  loaded ??= await loadZstd()
}

/** Null when this machine has no zstd, or has not been asked for it: both write LZ4. */
export function compressZstd(raw: Uint8Array, level: number): Uint8Array | null {
  return loaded === null ? null : loaded.compress(raw, level)
}

/** @throws when the bytes do not decompress to exactly `rawLength`, or this machine has no zstd. */
export function decompressZstd(stored: Uint8Array, rawLength: number): Uint8Array {
  if (loaded === null) throw new Error('zstd is not there to read it: neither this Node nor @cloudpss/zstd has it')
  const raw = loaded.decompress(stored, rawLength)
  if (raw.length !== rawLength) throw new Error(`zstd gave ${raw.length} bytes where ${rawLength} were promised`)
  return raw
}
