/** Strings of an open block: as codes of the field's dictionary while they repeat, otherwise as UTF-8 bytes. */
import type { Value } from '../value.ts'
import { NULL, PRESENT, type Vector } from '../vector.ts'
import { type ColumnStorage, PresenceStorage, type PresentOrNull, resized } from './column-storage.ts'
import type { FieldDictionary, FrozenDictionaries } from './field-dictionary.ts'
import { fitted } from './text-sizes.ts'

export class DictStorage implements ColumnStorage {
  filled = 0
  capacity = 0
  readonly dictionary: FieldDictionary
  private codes: Uint32Array | Uint16Array | Uint8Array = new Uint16Array(0)

  constructor(dictionary: FieldDictionary) {
    this.dictionary = dictionary
  }

  add(row: number, value: PresentOrNull): boolean {
    let code: number
    if (typeof value === 'string') {
      code = this.dictionary.codeOf(value)
      if (code < 0) return false
    } else if (value === null) code = this.dictionary.codeOfAbsent(null)
    else return false
    this.reserve(row)
    this.widenFor(code)
    this.codes[row] = code
    this.filled = row + 1
    return true
  }

  at(row: number): Value {
    return row < this.filled ? this.dictionary.valueOf(this.codes[row] ?? 0) : undefined
  }

  view(rowCount: number, frozen: FrozenDictionaries | null): Vector {
    this.pad(rowCount)
    const dictionary = frozen === null ? this.dictionary.current() : this.dictionary.freeze(frozen)
    return { kind: 'dict', rowCount, codes: this.codes.subarray(0, rowCount), dictionary }
  }

  finish(rowCount: number): void {
    this.pad(rowCount)
    const codes = this.codes.subarray(0, rowCount)
    this.codes = this.dictionary.size <= 256 ? Uint8Array.from(codes) : codes.slice()
    this.capacity = rowCount
  }

  get byteLength(): number {
    return this.codes.byteLength
  }

  private pad(rowCount: number): void {
    if (rowCount <= this.filled) return
    this.reserve(rowCount - 1)
    if (this.filled < rowCount) {
      const missing = this.dictionary.codeOfAbsent(undefined)
      this.widenFor(missing)
      this.codes[rowCount - 1] = missing
    }
    this.filled = rowCount
  }

  /** Room for `row`; the rows between are missing. */
  private reserve(row: number): void {
    if (row >= this.capacity) {
      this.capacity = Math.max(64, row + 1, this.capacity * 2)
      const wide = this.codes instanceof Uint32Array
      this.codes = resized(this.codes, wide ? new Uint32Array(this.capacity) : new Uint16Array(this.capacity))
    }
    if (row > this.filled) {
      const missing = this.dictionary.codeOfAbsent(undefined)
      this.widenFor(missing)
      this.codes.fill(missing, this.filled, row)
    }
  }

  private widenFor(code: number): void {
    if (code > 65_535 && !(this.codes instanceof Uint32Array)) this.codes = Uint32Array.from(this.codes)
  }
}

/** Below this many characters a loop over ASCII beats the call into native code. */
const SHORT = 24

export class TextStorage extends PresenceStorage implements ColumnStorage {
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  /** The same memory; its `write` needs no view made for every string, as `encodeInto` does. */
  private writer = Buffer.alloc(0)
  private offsets: Uint32Array = new Uint32Array(1)
  private used = 0
  private readonly expectedBytes: number

  /** @param expectedBytes  what to make room for with the first text */
  constructor(expectedBytes = 0) {
    super()
    this.expectedBytes = expectedBytes
  }

  /** Bytes of text alone. */
  get textBytes(): number {
    return this.used
  }

  add(row: number, value: PresentOrNull): boolean {
    if (typeof value === 'string') {
      this.passOver(row)
      this.mark(row, PRESENT)
      this.write(value)
    } else if (value === null) {
      this.passOver(row)
      this.mark(row, NULL)
    } else return false
    this.offsets[row + 1] = this.used
    return true
  }

  at(row: number): Value {
    if (!this.isPresent(row)) return this.absent(row)
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.used).toString(
      'utf8',
      this.offsets[row],
      this.offsets[row + 1],
    )
  }

  view(rowCount: number): Vector {
    this.finishPadding(rowCount)
    const used = this.offsets[rowCount] ?? 0
    return {
      kind: 'text',
      rowCount,
      bytes: this.bytes.subarray(0, used),
      offsets: this.offsets.subarray(0, rowCount + 1),
      presence: this.presenceView(rowCount),
    }
  }

  finish(rowCount: number): void {
    this.finishPadding(rowCount)
    this.setCapacity(rowCount)
    this.bytes = fitted(this.bytes, this.used)
    this.writer = Buffer.alloc(0)
  }

  get byteLength(): number {
    return this.used + this.offsets.byteLength + (this.presence?.byteLength ?? 0)
  }

  protected override setCapacity(capacity: number): void {
    super.setCapacity(capacity)
    this.offsets = resized(this.offsets, new Uint32Array(capacity + 1))
  }

  private finishPadding(rowCount: number): void {
    if (rowCount <= this.filled) return
    this.passOver(rowCount)
    this.pad(rowCount)
  }

  /** Rows without text end where they start. */
  private passOver(row: number): void {
    if (row <= this.filled) return
    if (row >= this.capacity) this.setCapacity(Math.max(64, row + 1, this.capacity * 2))
    this.offsets.fill(this.used, this.filled + 1, row + 1)
  }

  private write(text: string): void {
    const length = text.length
    if (this.used + length * 3 > this.bytes.length) {
      this.bytes = resized(this.bytes, new Uint8Array(Math.max(1024, this.expectedBytes, (this.used + length * 3) * 2)))
      this.writer = Buffer.from(this.bytes.buffer)
    }
    const bytes = this.bytes
    const at = this.used
    if (length < SHORT) {
      let i = 0
      for (; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code >= 128) break
        bytes[at + i] = code
      }
      if (i === length) {
        this.used = at + length
        return
      }
    }
    this.used = at + this.writer.write(text, at)
  }
}
