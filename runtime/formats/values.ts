/** A stretch of text as a value: how the formats read words, numbers, flags and quoted strings. */
import type { Value } from '../../storage/value.ts'
import type { FieldSink } from './extractor.ts'

const CANONICAL = /^-?(?:0|[1-9]\d{0,18})(?:\.\d+)?$/

/** Canonical numbers become numbers: those that print exactly as they were written. */
export function typedCapture(text: string): Value {
  const first = text.charCodeAt(0)
  // A digit or a minus sign, or it is no number.
  if (!((first >= 48 && first <= 57) || first === 45) || text.length > 24 || !CANONICAL.test(text)) return text
  const number = Number(text)
  if (String(number) === text) return Number.isSafeInteger(number) || !Number.isInteger(number) ? number : exact(text)
  return exact(text)
}

function exact(text: string): Value {
  if (text.includes('.')) return text
  const integer = BigInt(text)
  return String(integer) === text && BigInt.asIntN(64, integer) === integer ? integer : text
}

export function textOf(text: string, start: number, end: number): Value {
  return text.slice(start, end)
}

/** As `typedCapture`, without a string for the whole numbers that nearly all numbers in logs are. */
export function typedOf(text: string, start: number, end: number): Value {
  const length = end - start
  if (length > 15 || length === 0) return typedCapture(text.slice(start, end))
  const first = text.charCodeAt(start) - 48
  if (first < 0 || first > 9 || (first === 0 && length > 1)) return typedCapture(text.slice(start, end))
  let number = first
  for (let at = start + 1; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return typedCapture(text.slice(start, end))
    number = number * 10 + digit
  }
  return number
}

/** Digits, with zeros in front of them or not: `007` is 7. Beyond 64 bits the nearest float. */
export function integerOf(text: string, start: number, end: number): Value {
  if (end - start > 15) return largeInteger(text.slice(start, end))
  let number = 0
  for (let at = start; at < end; at++) number = number * 10 + text.charCodeAt(at) - 48
  return number
}

function largeInteger(digits: string): Value {
  const number = Number(digits)
  if (Number.isSafeInteger(number)) return number
  const integer = BigInt(digits)
  return BigInt.asIntN(64, integer) === integer ? integer : number
}

/** The text of a quoted value, its quotes and escapes gone. */
export function unquote(text: string): string {
  return unescapeText(text.slice(1, -1))
}

export function unescapeText(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

export function isQuoted(text: string): boolean {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
}

/** The value of a pair: quoted, it is text; bare, a canonical number is one. */
export function pairValue(text: string): Value {
  return isQuoted(text) ? unquote(text) : typedCapture(text)
}

/** Pairs that were found, kept until the whole text has proved to be readable. */
export class Pairs {
  readonly #names: string[] = []
  readonly #values: string[] = []

  get count(): number {
    return this.#names.length
  }

  has(name: string): boolean {
    return this.#names.includes(name)
  }

  clear(): void {
    this.#names.length = 0
    this.#values.length = 0
  }

  add(name: string, value: string): void {
    this.#names.push(name)
    this.#values.push(value)
  }

  emit(sink: FieldSink, read: (text: string) => Value): void {
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i]!
      if (sink.wants(name)) sink.add(name, read(this.#values[i]!))
    }
  }
}
