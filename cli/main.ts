#!/usr/bin/env node
/**
 * Where the command line starts. The program is there twice: as the files tsc wrote, and as a few chunks made of them (`build.mjs`), which
 * start in half the time, for most of starting is finding and reading 500 files. The chunks are taken unless the files are newer.
 */
import { statSync } from 'node:fs'

const CHUNKS = new URL('../bundle/program.js', import.meta.url)
/** Written by tsc whenever it writes anything; absent from a package, whose files belong together. */
const TSC_RECORD = new URL('../.tsbuildinfo', import.meta.url)

function modifiedMs(file: URL): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

const chunksMs = modifiedMs(CHUNKS)
const isFresh = chunksMs > 0 && chunksMs >= modifiedMs(TSC_RECORD)
const { main } = (await import(isFresh ? CHUNKS.href : './program.js')) as typeof import('./program.ts')
await main(process.argv)
