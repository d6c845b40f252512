/**
 * Functions of text. A number or a time given where text belongs is read as its text form. Positions count characters
 * (code points), from 0; a negative position counts from the end.
 */
import type { Value } from '../../storage/value.ts'
import { toText } from './format-value.ts'
import { toIndex } from './numbers.ts'

/** Most log text is ASCII, where characters and code units are one; only surrogates make them differ. */
const SURROGATE = /[\ud800-\udfff]/

const MAX_TEXT = 1 << 24

function text1(apply: (text: string) => Value): (value: Value) => Value {
  return value => {
    const text = toText(value)
    return text === null ? null : apply(text)
  }
}

function text2(apply: (text: string, other: string) => Value): (value: Value, other: Value) => Value {
  return (value, other) => {
    const text = toText(value)
    const argument = toText(other)
    return text === null || argument === null ? null : apply(text, argument)
  }
}

/** Characters of text, members of an array, keys of an object. */
function len(value: Value): Value {
  if (typeof value === 'string') return SURROGATE.test(value) ? [...value].length : value.length
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.keys(value).length
  }
  const text = toText(value)
  return text === null ? null : text.length
}

function substr(value: Value, start: Value, count?: Value): Value {
  const text = toText(value)
  const from = toIndex(start)
  const wanted = count === undefined || count === null ? Number.POSITIVE_INFINITY : toIndex(count)
  if (text === null || from === null || wanted === null) return null
  const characters = SURROGATE.test(text) ? [...text] : null
  const length = characters?.length ?? text.length
  const begin = from < 0 ? Math.max(0, length + from) : from
  const end = Math.min(length, begin + Math.max(0, wanted))
  return characters === null ? text.slice(begin, end) : characters.slice(begin, end).join('')
}

/** Every occurrence, literally: neither `$` nor a pattern means anything here. */
function replace(value: Value, from: Value, to: Value): Value {
  const text = toText(value)
  const old = toText(from)
  const replacement = toText(to)
  if (text === null || old === null || replacement === null) return null
  return old === '' ? text : text.split(old).join(replacement)
}

/** An empty separator gives the characters. */
function split(text: string, separator: string): Value {
  return separator === '' ? [...text] : text.split(separator)
}

function join(list: Value, separator?: Value): Value {
  const between = separator === undefined ? ',' : toText(separator)
  if (!Array.isArray(list) || between === null) return null
  const parts: string[] = []
  for (const member of list as readonly Value[]) {
    const text = toText(member)
    if (text !== null) parts.push(text)
  }
  return parts.join(between)
}

/** The characters to cut may be given: `trim(path, "/")`. */
function trimmer(left: boolean, right: boolean): (value: Value, characters?: Value) => Value {
  return (value, characters) => {
    const text = toText(value)
    if (text === null || characters === null) return null
    if (characters === undefined) return left && right ? text.trim() : left ? text.trimStart() : text.trimEnd()
    const cut = new Set(toText(characters) ?? '')
    const points = [...text]
    let from = 0
    let to = points.length
    while (left && from < to && cut.has(points[from] as string)) from++
    while (right && to > from && cut.has(points[to - 1] as string)) to--
    return points.slice(from, to).join('')
  }
}

/** Two rows of the edit-distance table; texts beyond the bound have no answer, because the work is their product. */
function levenshtein(a: string, b: string): Value {
  const [short, long] = a.length <= b.length ? [[...a], [...b]] : [[...b], [...a]]
  if (short.length * long.length > 4_000_000) return null
  let previous = Array.from({ length: short.length + 1 }, (_, i) => i)
  for (let row = 1; row <= long.length; row++) {
    const current = [row]
    for (let column = 1; column <= short.length; column++) {
      const cost = long[row - 1] === short[column - 1] ? 0 : 1
      current.push(
        Math.min(
          (previous[column] as number) + 1,
          (current[column - 1] as number) + 1,
          (previous[column - 1] as number) + cost,
        ),
      )
    }
    previous = current
  }
  return previous[short.length] as number
}

function concat(...values: Value[]): Value {
  return values.map(value => toText(value) ?? '').join('')
}

function repeat(value: Value, count: Value): Value {
  const text = toText(value)
  const times = toIndex(count)
  if (text === null || times === null || text.length * times > MAX_TEXT) return null
  return text.repeat(Math.max(0, times))
}

export const STRING_HELPERS = {
  len,
  lower: text1(text => text.toLowerCase()),
  upper: text1(text => text.toUpperCase()),
  trim: trimmer(true, true),
  ltrim: trimmer(true, false),
  rtrim: trimmer(false, true),
  substr,
  replace,
  split: text2(split),
  join,
  startsWith: text2((text, prefix) => text.startsWith(prefix)),
  endsWith: text2((text, suffix) => text.endsWith(suffix)),
  levenshtein: text2(levenshtein),
  repeat,
  concat,
}
