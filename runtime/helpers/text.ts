/** The text predicates. Each takes any value; what is not text is asked through its text form, so `has(status, "500")` works. */
import type { Value } from '../../storage/value.ts'
import { toText } from './format-value.ts'
import { globMatches, parseGlob } from './glob.ts'
import { compileRegex } from './regex.ts'
import { fold, hasToken, hasTokenGlob, parseTokenGlob } from './tokens.ts'

/** Patterns are constants far more often than not: lower-casing the same needle for every row is what this avoids. */
let lastNeedle = ''
let lastLowered = ''

function lowered(needle: string): string {
  if (needle !== lastNeedle) {
    lastNeedle = needle
    lastLowered = fold(needle)
  }
  return lastLowered
}

function contains(value: Value, needle: Value): Value {
  const text = toText(value)
  const part = toText(needle)
  return text === null || part === null ? null : fold(text).includes(lowered(part))
}

function containsCs(value: Value, needle: Value): Value {
  const text = toText(value)
  const part = toText(needle)
  return text === null || part === null ? null : text.includes(part)
}

function has(value: Value, word: Value): Value {
  const text = toText(value)
  const token = toText(word)
  return text === null || token === null ? null : hasToken(fold(text), lowered(token))
}

function hasGlob(value: Value, pattern: Value): Value {
  const text = toText(value)
  const source = toText(pattern)
  return text === null || source === null ? null : hasTokenGlob(fold(text), parseTokenGlob(lowered(source)))
}

function glob(value: Value, pattern: Value): Value {
  const text = toText(value)
  const source = toText(pattern)
  return text === null || source === null ? null : globMatches(parseGlob(source), text)
}

function matches(value: Value, pattern: Value): Value {
  const text = toText(value)
  if (text === null || typeof pattern !== 'string') return null
  const regex = compileRegex(pattern)
  return typeof regex === 'string' ? null : regex.test(text)
}

/** Without a group number: the first group if the pattern has one, else the whole match. */
function extract(value: Value, pattern: Value, group?: Value): Value {
  const text = toText(value)
  if (text === null || typeof pattern !== 'string') return null
  const regex = compileRegex(pattern)
  if (typeof regex === 'string') return null
  const index = groupIndex(regex.names, group)
  return index === null ? null : (regex.exec(text)?.groups[index] ?? null)
}

/** The number of a group by number or name; null: the pattern has none like it. */
export function groupIndex(names: readonly (string | null)[], group: Value): number | null {
  if (group === undefined || group === null) return names.length > 1 ? 1 : 0
  if (typeof group === 'number') return Number.isInteger(group) && group >= 0 && group < names.length ? group : null
  const index = typeof group === 'string' ? names.indexOf(group) : -1
  return index < 0 ? null : index
}

function extractAll(value: Value, pattern: Value, group?: Value): Value {
  const text = toText(value)
  if (text === null || typeof pattern !== 'string') return null
  const regex = compileRegex(pattern)
  if (typeof regex === 'string') return null
  const index = groupIndex(regex.names, group)
  if (index === null) return null
  const found: Value[] = []
  for (let from = 0; from <= text.length; ) {
    const match = regex.exec(text, from)
    if (match === null) break
    found.push(match.groups[index] ?? null)
    // An empty match would be found again for ever.
    from = match.end > match.index ? match.end : match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1)
  }
  return found
}

/** The problem with a constant pattern, for compile-time checks; null when it is fine. */
export function patternProblem(pattern: string): string | null {
  const regex = compileRegex(pattern)
  return typeof regex === 'string' ? regex : null
}

export const TEXT_HELPERS = { contains, containsCs, has, hasGlob, glob, matches, extract, extractAll }
