/**
 * Results as text that can be compared: one JSON object per row, members in order of name, missing fields left out,
 * ints exact, times and durations as the language prints them.
 */
import { formatDuration } from '../grammar/literals.ts'
import { parseExactJson } from '../storage/ingest/json.ts'
import { DateTime, Duration, type Value } from '../storage/value.ts'
import type { Tolerance } from './reference/aggregates.ts'

export type NamedRow = ReadonlyMap<string, Value>

export function valueText(value: Value): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return String(value)
  if (value instanceof DateTime) return JSON.stringify(timeText(value))
  if (value instanceof Duration) return JSON.stringify(formatDuration(value.ns))
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(valueText).join(',')}]`
  if (typeof value === 'object') {
    const names = Object.keys(value).sort()
    return `{${names.map(name => `${JSON.stringify(name)}:${valueText((value as Record<string, Value>)[name])}`).join(',')}}`
  }
  // Neither exists as a value; where one leaks out it must not look like a null.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return JSON.stringify(Object.is(value, -0) ? 0 : value)
}

/** `2020-08-07T14:32:25.358Z`; six or nine digits when there is more to say. */
export function timeText(time: DateTime): string {
  const millis = Math.floor(time.micros / 1000)
  const below = (time.micros - millis * 1000) * 1000 + time.nanos
  const iso = new Date(millis).toISOString().slice(0, -1)
  if (below === 0) return `${iso}Z`
  return below % 1000 === 0
    ? `${iso}${pad(below / 1000)}Z`
    : `${iso}${pad(Math.floor(below / 1000))}${pad(below % 1000)}Z`
}

function pad(value: number): string {
  return String(value).padStart(3, '0')
}

export function rowText(row: NamedRow, isShown: (name: string) => boolean = () => true): string {
  const names = [...row.keys()].filter(name => row.get(name) !== undefined && isShown(name))
  return `{${names.map(name => `${JSON.stringify(name)}:${valueText(row.get(name))}`).join(',')}}`
}

export function sortedRow(row: NamedRow): NamedRow {
  return new Map([...row].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** An expected row: a JSON object, its ints exact. */
export function parseRow(line: string): Map<string, Value> {
  const document = parseExactJson(line)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error(`an expected row is a JSON object: ${line}`)
  }
  return new Map(Object.entries(document as Record<string, Value>))
}

/** Does `actual` say what `expected` says? `<any>` in a string of the expectation stands for any value. */
export function isSameRow(actual: NamedRow, expected: NamedRow, tolerance: (name: string) => Tolerance): boolean {
  const names = new Set([...actual.keys(), ...expected.keys()])
  for (const name of names) {
    const [a, b] = [actual.get(name), expected.get(name)]
    if ((a === undefined) !== (b === undefined)) return false
    if (a !== undefined && b !== '<any>' && !isSameValue(a, b, tolerance(name))) return false
  }
  return true
}

/** Beyond rounding: the answer is an estimate, one of large whole numbers a float, one of durations a duration. */
const ESTIMATE = 1e-6

function isSameValue(actual: Value, expected: Value, tolerance: Tolerance): boolean {
  if (
    tolerance.relative > ESTIMATE &&
    isQuantity(actual) &&
    isQuantity(expected) &&
    !(typeof actual === 'number' && typeof expected === 'number')
  ) {
    const isSameKind = actual instanceof Duration === expected instanceof Duration
    return isSameKind && isSameValue(asFloat(actual), asFloat(expected), tolerance)
  }
  if (typeof actual === 'number' && typeof expected === 'number') {
    const { relative, absolute } = tolerance
    const most = Math.max(absolute, relative * Math.max(Math.abs(actual), Math.abs(expected)))
    return actual === expected || Math.abs(actual - expected) <= most
  }
  return valueText(actual) === valueText(expected)
}

function isQuantity(value: Value): value is number | bigint | Duration {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Duration
}

function asFloat(value: number | bigint | Duration): number {
  return value instanceof Duration ? value.ns : Number(value)
}
