/** Lines of files and of stdin, decompressed by what they are, in batches: memory stays constant however long the input is. */
import { createReadStream, fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { CommandError, EXIT } from './exit-codes.ts'

const NEWLINE = 10
const RETURN = 13

/** Is something piped or redirected into this process (and not just /dev/null or a terminal)? */
export function stdinIsPiped(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    // No stdin at all (closed descriptor): nothing is piped.
    return false
  }
}

export function openFile(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: 1 << 20 })
  if (/\.gz$/i.test(path)) return file.pipe(forwardError(file, createGunzip({ chunkSize: 1 << 20 })))
  if (/\.br$/i.test(path)) return file.pipe(forwardError(file, createBrotliDecompress({ chunkSize: 1 << 20 })))
  return file
}

/** `pipe` does not carry errors: a missing file must fail the reader, not the process. */
function forwardError<S extends Readable>(from: Readable, to: S): S {
  from.on('error', error => to.destroy(error))
  return to
}

/**
 * Non-empty lines without their terminator, several thousand at a time.
 *
 * @param name  shown in the error when the input cannot be read
 * @yields lines and the bytes they took, terminators included
 */
export async function* lineBatches(
  input: Readable,
  name: string,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly bytes: number }> {
  let rest: Buffer | null = null
  try {
    for await (const piece of input) {
      const chunk: Buffer = rest === null ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer])
      const end = chunk.lastIndexOf(NEWLINE)
      if (end < 0) {
        rest = chunk
        continue
      }
      yield { lines: splitLines(chunk, end), bytes: end + 1 }
      rest = end + 1 < chunk.length ? chunk.subarray(end + 1) : null
    }
  } catch (error) {
    throw new CommandError(EXIT.general, `cannot read ${name}: ${(error as Error).message}`)
  }
  if (rest !== null && rest.length > 0) yield { lines: splitLines(rest, rest.length), bytes: rest.length }
}

function splitLines(chunk: Buffer, end: number): string[] {
  const lines: string[] = []
  let start = 0
  while (start < end) {
    let stop = chunk.indexOf(NEWLINE, start)
    if (stop < 0 || stop > end) stop = end
    let textEnd = stop
    if (textEnd > start && chunk[textEnd - 1] === RETURN) textEnd--
    if (textEnd > start) lines.push(chunk.toString('utf8', start, textEnd))
    start = stop + 1
  }
  return lines
}
