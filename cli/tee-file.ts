/** What `tee` writes to: a file that is replaced, line by line as rows come. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { LineFile } from '../runtime/operators/operator.ts'
import { CommandError, EXIT } from './exit-codes.ts'

/** @throws {CommandError} when the file cannot be written */
export function teeFile(path: string): LineFile {
  const file = told(path, () => openSync(path, 'w'))
  return {
    write: text => told(path, () => void writeAll(file, Buffer.from(text))),
    close: () => closeSync(file),
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function told<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(EXIT.general, `tee cannot write ${path}: ${why}`)
  }
}
