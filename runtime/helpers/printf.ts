/** `printf`: the directives of C that make sense for values, exact for ints of 64 bits, and never a failure. */
import type { Value } from '../../storage/value.ts'
import { toFloat } from './conversion.ts'
import { toText, valueToText } from './format-value.ts'
import { parseNumber, toIndex } from './numbers.ts'

const DIRECTIVE = /%([-+ 0#,']*)(\*|\d{1,4})?(?:\.(\*|\d{0,3}))?([a-zA-Z%])/g
const KINDS = 'sdiufFeEgGxXobBc%'
/** Wider fields are cut to this: a format must not make text out of nothing. */
const MAX_WIDTH = 1000
const MAX_PRECISION = 100

interface Directive {
  readonly flags: string
  readonly width: number
  readonly precision: number | null
  readonly kind: string
}

/** What is wrong with a format for so many values; null when nothing is. */
export function formatProblem(format: string, valueCount: number): string | null {
  let wanted = 0
  for (const [text, , width, precision, kind = ''] of format.matchAll(DIRECTIVE)) {
    if (!KINDS.includes(kind)) return `printf knows no directive ${text}`
    wanted += (kind === '%' ? 0 : 1) + (width === '*' ? 1 : 0) + (precision === '*' ? 1 : 0)
  }
  if (wanted === valueCount) return null
  return `the format takes ${wanted} ${wanted === 1 ? 'value' : 'values'}, ${valueCount} ${valueCount === 1 ? 'is' : 'are'} given`
}

/** A value that is absent, or not what the directive prints, prints nothing; a directive that is none stays as it is. */
function printf(format: Value, ...args: Value[]): Value {
  const template = toText(format)
  if (template === null) return null
  let next = 0
  const size = (text: string | undefined, most: number): number | null => {
    if (text === undefined) return null
    const number = text === '*' ? toIndex(args[next++] ?? null) : Number(text)
    return number === null ? null : Math.max(-most, Math.min(most, number))
  }
  return template.replace(DIRECTIVE, (whole, flags: string, width?: string, precision?: string, kind = 's') => {
    if (kind === '%') return '%'
    if (!KINDS.includes(kind)) return whole
    const wide = size(width, MAX_WIDTH) ?? 0
    const digits = size(precision, MAX_PRECISION)
    const directive: Directive = {
      // A negative width is the flag for the left, as in C.
      flags: wide < 0 ? `${flags}-` : flags,
      width: Math.abs(wide),
      precision: digits === null || digits < 0 ? null : digits,
      kind,
    }
    return padded(written(directive, args[next++]), directive)
  })
}

function written({ kind, flags, precision }: Directive, arg: Value): string {
  if (arg === null || arg === undefined) return ''
  if (kind === 's') {
    const text = valueToText(arg)
    return precision === null ? text : [...text].slice(0, precision).join('')
  }
  if (kind === 'c' && typeof arg === 'string') return [...arg][0] ?? ''
  const number = typeof arg === 'number' || typeof arg === 'bigint' ? arg : numberOf(arg)
  if (number === null) return ''
  if (kind === 'c') return codePoint(Number(number))
  const sign = number < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  return sign + unsigned(number < 0 ? -number : number, kind, flags, precision)
}

/** Text that writes a number is one; a duration is its seconds, a datetime its epoch seconds, as in casts. */
function numberOf(value: Value): number | bigint | null {
  return typeof value === 'string' ? parseNumber(value) : toFloat(value)
}

function codePoint(point: number): string {
  return Number.isInteger(point) && point >= 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

function unsigned(size: number | bigint, kind: string, flags: string, precision: number | null): string {
  const whole = (): bigint => (typeof size === 'bigint' ? size : BigInt(Math.trunc(size)))
  const digits = (radix: number): string =>
    whole()
      .toString(radix)
      .padStart(precision ?? 0, '0')
  const prefix = (text: string): string => (flags.includes('#') && whole() !== 0n ? text : '')
  switch (kind) {
    case 'd':
    case 'i':
    case 'u':
      return grouped(digits(10), flags)
    case 'x':
      return prefix('0x') + digits(16)
    case 'X':
      return prefix('0X') + digits(16).toUpperCase()
    case 'o':
      return prefix('0') + digits(8)
    case 'b':
    case 'B':
      return prefix(`0${kind}`) + digits(2)
    case 'f':
    case 'F':
      return grouped(fixed(size, precision ?? 6), flags)
    case 'g':
    case 'G':
      return inCase(shortest(Number(size), precision ?? 6, flags.includes('#')), kind)
    default:
      return inCase(exponential(Number(size), precision ?? 6), kind)
  }
}

/** An int keeps its digits, which a double would not. */
function fixed(size: number | bigint, precision: number): string {
  const isWhole = typeof size === 'bigint' || Number.isSafeInteger(size)
  if (isWhole) return precision === 0 ? String(size) : `${size}.${'0'.repeat(precision)}`
  // Beyond 1e21 JavaScript's toFixed gives up on digits; BigInt does not.
  return Number(size) < 1e21 ? Number(size).toFixed(precision) : fixed(BigInt(size), precision)
}

/** At least two digits of exponent, as C writes it. */
function exponential(size: number, precision: number): string {
  return size.toExponential(precision).replace(/e([-+])(\d)$/, 'e$10$2')
}

/** `%g`: digits that count, in the shorter of both forms. */
function shortest(size: number, precision: number, keepZeros: boolean): string {
  const digits = Math.max(1, precision)
  const exponent = size === 0 ? 0 : Number(/e([-+]\d+)$/.exec(size.toExponential(digits - 1))?.[1] ?? 0)
  const isShort = exponent >= -4 && exponent < digits
  const text = isShort ? size.toFixed(Math.min(100, digits - 1 - exponent)) : exponential(size, digits - 1)
  return keepZeros ? text : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '')
}

function inCase(text: string, kind: string): string {
  return kind === kind.toUpperCase() ? text.toUpperCase() : text
}

/** `1234567` is `1,234,567` under the flag `,`. */
function grouped(text: string, flags: string): string {
  if (!/[,']/.test(flags)) return text
  const [whole = '', fraction] = text.split('.')
  const parts = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? parts : `${parts}.${fraction}`
}

function padded(text: string, { flags, width, kind }: Directive): string {
  if (text.length >= width) return text
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0') || kind === 's' || kind === 'c' || text === '') return text.padStart(width)
  const before = /^[-+ ]?(?:0[xXbB])?/.exec(text)?.[0] ?? ''
  return before + text.slice(before.length).padStart(width - before.length, '0')
}

export const PRINTF_HELPERS = { printf }
