/**
 * Messages out of a TCP stream, RFC 6587: each with its length in front (`83 <34>1 …`), or ended by a line feed or a NUL. Told apart message
 * by message, because senders change their mind after a restart of the relay between. Memory is bounded by the longest message.
 */

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const LESS_THAN = 60
/** A length has fewer digits than would make it a gigabyte. */
const LENGTH_DIGITS_MAX = 9

export interface FrameSink {
  frame(bytes: Buffer): void
  /** Longer than allowed: left out. Told once a message. */
  tooLong(): void
  /** The stream ended within a counted message; what came of it is a frame all the same. */
  cutShort(): void
}

export class SyslogFramer {
  readonly #longest: number
  readonly #sink: FrameSink
  #rest: Buffer = Buffer.alloc(0)
  /** How far `#rest` is known to hold no end of line. */
  #scanned = 0
  /** Bytes of a counted message that is too long, still to come. */
  #skip = 0
  /** In a line that is too long. */
  #isDiscarding = false

  constructor(longest: number, sink: FrameSink) {
    this.#longest = longest
    this.#sink = sink
  }

  push(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      const used = this.#take(data)
      if (used === 0) break
      data = data.subarray(used)
    }
    // A copy: what is left of a chunk must not keep the whole of it.
    this.#rest = data.length === 0 ? data : Buffer.from(data)
  }

  /** The stream has ended: what is left is the last message. */
  end(): void {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    if (this.#isDiscarding || this.#skip > 0) return
    const count = countOf(rest)
    // Of a counted message that never came whole, what came is kept.
    const start = count === null || count === 'unknown' ? separatorsEnd(rest) : count.start
    if (count !== null && count !== 'unknown') this.#sink.cutShort()
    if (start < rest.length) this.#sink.frame(lineOf(rest, start, rest.length))
  }

  /** @returns how many bytes are dealt with; 0: more have to come first. */
  #take(data: Buffer): number {
    if (this.#skip > 0) {
      const used = Math.min(this.#skip, data.length)
      this.#skip -= used
      return used
    }
    if (this.#isDiscarding) return this.#discard(data)
    const separators = separatorsEnd(data)
    if (separators > 0) {
      this.#scanned = 0
      return separators
    }
    const count = countOf(data)
    if (count === 'unknown') return 0
    return count === null ? this.#takeLine(data) : this.#takeCounted(data, count)
  }

  #takeCounted(data: Buffer, { start, length }: Count): number {
    if (length > this.#longest) {
      this.#sink.tooLong()
      this.#skip = length
      return start
    }
    if (start + length > data.length) return 0
    this.#sink.frame(lineOf(data, start, start + length))
    return start + length
  }

  #takeLine(data: Buffer): number {
    const end = endOfLine(data, this.#scanned)
    if (end === -1) {
      this.#scanned = data.length
      if (data.length <= this.#longest) return 0
      this.#sink.tooLong()
      this.#isDiscarding = true
      this.#scanned = 0
      return data.length
    }
    this.#scanned = 0
    if (end > this.#longest) this.#sink.tooLong()
    else this.#sink.frame(lineOf(data, 0, end))
    return end + 1
  }

  #discard(data: Buffer): number {
    const end = endOfLine(data, 0)
    if (end === -1) return data.length
    this.#isDiscarding = false
    return end + 1
  }
}

interface Count {
  readonly start: number
  readonly length: number
}

/** The length in front of the message, if that is one; unknown: the bytes so far may become one. */
function countOf(data: Buffer): Count | null | 'unknown' {
  let at = 0
  while (at < data.length && at < LENGTH_DIGITS_MAX && data[at]! >= 48 && data[at]! <= 57) at++
  if (at === 0) return data.length === 0 ? 'unknown' : null
  if (data[0] === 48) return null
  if (at + 1 >= data.length) return at < data.length && data[at] !== SPACE ? null : 'unknown'
  // Only before a `<` is it a length: lines may begin with a number too.
  if (data[at] !== SPACE || data[at + 1] !== LESS_THAN) return null
  return { start: at + 1, length: Number(data.toString('latin1', 0, at)) }
}

function separatorsEnd(data: Buffer): number {
  let at = 0
  while (at < data.length && (data[at] === LINE_FEED || data[at] === CARRIAGE_RETURN || data[at] === 0)) at++
  return at
}

function endOfLine(data: Buffer, from: number): number {
  const lineFeed = data.indexOf(LINE_FEED, from)
  const nul = data.subarray(0, lineFeed === -1 ? data.length : lineFeed).indexOf(0, from)
  return nul === -1 ? lineFeed : nul
}

/** Without the separators that a counted message may still carry at its end. */
function lineOf(data: Buffer, start: number, stop: number): Buffer {
  let end = stop
  while (end > start && (data[end - 1] === LINE_FEED || data[end - 1] === CARRIAGE_RETURN || data[end - 1] === 0)) end--
  return data.subarray(start, end)
}
