/** What the plain readings of formats share. */
import { parseNumber } from '../../../runtime/helpers/numbers.ts'
import type { Value } from '../../../storage/value.ts'

/** The fields found, or what is wrong with the text. */
export type Found = ReadonlyMap<string, Value> | string

export function isFailure(found: Found): found is string {
  return typeof found === 'string'
}

/** Canonical numbers become numbers: those that would print as they were written. */
export function typed(text: string): Value {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return text
  const number = parseNumber(text)
  return number !== null && String(number) === text ? number : text
}

/** Digits, leading zeros and all. */
export function whole(digits: string): Value {
  return parseNumber(digits.replace(/^0+(?=\d)/, '')) ?? digits
}

export function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char)
}

/** Named groups that took part in the match. */
export function groupsOf(match: RegExpExecArray): Map<string, string> {
  return new Map(Object.entries(match.groups ?? {}).filter(([, value]) => value !== undefined))
}

/** The members that are there. */
export function known(fields: Readonly<Record<string, Value>>): Map<string, Value> {
  return new Map(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A `-` says that there is nothing, but for the fields named. */
export function withoutDashes(fields: Readonly<Record<string, string>>, except: readonly string[]): [string, string][] {
  return Object.entries(fields).filter(([name, value]) => value !== '-' || except.includes(name))
}

/** `GET /a HTTP/1.1`; what is no request line is the request as it came. */
export function request(line: string): Map<string, Value> {
  const match = /^([A-Z_-]+) ([^ ]+)(?: HTTP\/([\d.]+))?$/s.exec(line)
  if (match === null || match[1] === '-') return line === '' || line === '-' ? new Map() : new Map([['request', line]])
  return known({ method: match[1], request: match[2], httpversion: match[3] })
}
