/**
 * Where the program's threads, and the program itself, are started from. All of it is there twice: as the files tsc wrote, and as a few chunks made of them
 * (`cli/build.mjs`), which start in half the time, for most of starting is finding and reading 500 files: a thread that scans 300 → 165 ms. The chunks
 * are taken unless the files are newer.
 */
import { statSync } from 'node:fs'

/** The chunks are as deep below it as this module is. */
const ROOT = new URL('..', import.meta.url)
/** Written by tsc whenever it writes anything; absent from a package, whose files belong together. */
const TSC_RECORD = new URL('.tsbuildinfo', ROOT)

function modifiedMs(file: URL): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** @param file  of the tree, one that `cli/build.mjs` makes a chunk of: `storage/build/build-worker.js` */
export function entry(file: string): URL {
  const chunk = new URL(`bundle/${file.slice(file.lastIndexOf('/') + 1)}`, ROOT)
  const chunkMs = modifiedMs(chunk)
  return chunkMs > 0 && chunkMs >= modifiedMs(TSC_RECORD) ? chunk : new URL(file, ROOT)
}
