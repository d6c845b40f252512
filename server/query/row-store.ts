/**
 * Every row of a job's result, as JSON text, to be read a page at a time: in memory while there are few, in an unnamed temporary file
 * beyond that. So a job costs the same memory whatever it found.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Rows are written in chunks of about this many bytes; a page reads the chunks it touches. */
const CHUNK_BYTES = 256 * 1024
const MEMORY_BYTES = 16 * 1024 * 1024

interface Chunk {
  /** Number of its first row. */
  readonly firstRow: number
  readonly bytes: number
  /** Where it begins in the file. */
  readonly at: number
  /** The text itself, while it is in memory. */
  text: Buffer | null
}

export class RowStore {
  readonly #name: string
  readonly #memoryBytes: number
  readonly #chunks: Chunk[] = []
  #open: string[] = []
  #openBytes = 0
  #size = 0
  #file: number | null = null
  #isClosed = false
  count = 0

  constructor(name: string, memoryBytes = MEMORY_BYTES) {
    this.#name = name
    this.#memoryBytes = memoryBytes
  }

  /** One row, without line breaks in it, as JSON never has. */
  add(row: string): void {
    this.#open.push(row)
    this.#openBytes += row.length
    this.count++
    if (this.#openBytes >= CHUNK_BYTES) this.#seal()
  }

  /** Rows `offset … offset + limit`. */
  page(limit: number, offset: number): string[] {
    const end = Math.min(this.count, offset + limit)
    const rows: string[] = []
    for (let row = offset; row < end; ) {
      const { lines, firstRow } = this.#linesAt(row)
      const until = Math.min(end, firstRow + lines.length)
      for (let at = row; at < until; at++) rows.push(lines[at - firstRow]!)
      row = until
    }
    return rows
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#chunks.length = 0
    this.#open = []
    this.count = 0
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #linesAt(row: number): { readonly lines: readonly string[]; readonly firstRow: number } {
    const sealed = this.count - this.#open.length
    if (row >= sealed) return { lines: this.#open, firstRow: sealed }
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#chunks[middle]!.firstRow <= row) low = middle
      else high = middle - 1
    }
    const chunk = this.#chunks[low]!
    return { lines: this.#textOf(chunk).toString('utf8').split('\n'), firstRow: chunk.firstRow }
  }

  #textOf({ text, bytes, at }: Chunk): Buffer {
    if (text !== null) return text
    const buffer = Buffer.allocUnsafe(bytes)
    for (let done = 0; done < bytes; ) {
      const read = readSync(this.#file!, buffer, done, bytes - done, at + done)
      if (read === 0) throw new Error('the temporary file of a job ended early')
      done += read
    }
    return buffer
  }

  #seal(): void {
    const text = Buffer.from(this.#open.join('\n'))
    const firstRow = this.count - this.#open.length
    const chunk: Chunk = { firstRow, bytes: text.length, at: this.#size, text }
    this.#chunks.push(chunk)
    this.#size += text.length
    this.#open = []
    this.#openBytes = 0
    if (this.#file !== null) this.#write(chunk)
    else if (this.#size > this.#memoryBytes) {
      this.#file = unnamedFile(this.#name)
      for (const each of this.#chunks) this.#write(each)
    }
  }

  #write(chunk: Chunk): void {
    const { text, at } = chunk
    if (text === null) return
    for (let done = 0; done < text.length; ) done += writeSync(this.#file!, text, done, text.length - done, at + done)
    chunk.text = null
  }
}

/** Without a name it goes when the process goes, however that ends. */
function unnamedFile(name: string): number {
  const path = join(tmpdir(), `quern-${process.pid}-${name}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
