/** What a parse format is to the operator: text in, fields out. */
import type { Value } from '../../storage/value.ts'

export interface Extractor {
  /** Fields it sets, in the order of `out`; null: only the text knows. */
  readonly names: readonly string[] | null
  /**
   * With known names: fills `out` (undefined: not in this text). Otherwise calls `emit` per field.
   * Returns what is wrong with the text, or null.
   */
  extract(text: string, out: Value[], emit: (name: string, value: Value) => void): string | null
}

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

/** The text of a quoted value, its quotes and escapes gone. */
export function unquote(text: string): string {
  const inner = text.slice(1, -1)
  if (!inner.includes('\\')) return inner
  return inner.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
