/** regex and pattern: captures become fields. Both are linear in the text on any pattern. */
import type { Value } from '../../storage/value.ts'
import { compileRegex } from '../helpers/regex.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, NO_MATCH, setSpan, spanExtractor } from './extractor.ts'
import { typedCapture, typedOf } from './values.ts'

export interface Capture {
  readonly name: string
  /** Number of the group. */
  readonly group: number
  readonly value: (text: string) => Value
}

/** Groups of a pattern as fields; a group that took no part in the match sets nothing. A name may have several groups: the first that did. */
export function captureExtractor(pattern: string, captures: readonly Capture[]): Extractor {
  const compiled = compileRegex(pattern)
  if (typeof compiled === 'string') throw new Error(`the compiler let an invalid pattern through: ${compiled}`)
  const names = [...new Set(captures.map(capture => capture.name))]
  const byName = names.map(name => captures.filter(capture => capture.name === name))
  let groups: readonly (string | null | undefined)[] = []
  const value = (index: number): Value => {
    for (const { group, value } of byName[index]!) {
      const captured = groups[group]
      if (captured !== null && captured !== undefined) return value(captured)
    }
    return undefined
  }
  return {
    names,
    pattern,
    read(text) {
      const match = compiled.exec(text)
      if (match === null) return NO_MATCH
      groups = match.groups
      return null
    },
    value,
    emit(sink) {
      for (const [index, name] of names.entries()) {
        const found = sink.wants(name) ? value(index) : undefined
        if (found !== undefined) sink.add(name, found)
      }
    },
  }
}

export const regex: FormatDescriptor = {
  summary: 'The named groups `(?<name>…)` of the first match; linear time on any pattern and any text.',
  options: {},
  fields: [],
  otherFields: 'one for each named group; a canonical number becomes a number',
  example: {
    query: 'parse regex r"user=(?<user>\\w+) took (?<ms>\\d+)ms" | keep user, ms',
    input: 'user=ann took 12ms',
    output: '{"user":"ann","ms":12}',
  },
  problems({ pattern }) {
    const compiled = compileRegex(pattern ?? '')
    if (typeof compiled === 'string') return [{ message: `not a usable pattern: ${compiled}`, option: null }]
    if (compiled.names.some(name => name !== null)) return []
    return [{ message: 'the regex captures nothing; name what to extract: (?<name>\\d+)', option: null }]
  },
  create({ pattern }) {
    const compiled = compileRegex(pattern ?? '')
    const names = typeof compiled === 'string' ? [] : compiled.names
    const captures = names.flatMap((name, group) => (name === null ? [] : [{ name, group, value: typedCapture }]))
    return captureExtractor(pattern ?? '', captures)
  },
}

const PLACEHOLDER = /<([A-Za-z_@][\w.@-]*)>/

/** `<ip> - <user> [<ts>]`: literal text around captures that reach to the next literal; `<_>` is skipped. Anchored at the start. */
function createPattern(text: string): Extractor {
  const pieces = text.split(PLACEHOLDER)
  const literals = pieces.filter((_, index) => index % 2 === 0)
  const captures = pieces.filter((_, index) => index % 2 === 1)
  const names = [...new Set(captures.filter(name => name !== '_'))]
  const places = captures.map(name => names.indexOf(name))
  const fields = names.map(name => ({ name, value: typedOf }))
  return spanExtractor(fields, (line, spans) => {
    if (!line.startsWith(literals[0]!)) return NO_MATCH
    let at = literals[0]!.length
    for (let index = 0; index < places.length; index++) {
      const literal = literals[index + 1]!
      const isLast = index === places.length - 1
      const end = literal === '' && isLast ? line.length : line.indexOf(literal, at)
      if (end < 0) return `no '${literal}' after ${captures[index]}`
      if (places[index]! >= 0) setSpan(spans, places[index]!, at, end)
      at = end + literal.length
    }
    return null
  })
}

export const pattern: FormatDescriptor = {
  summary:
    'Literal text with `<name>` where a field stands; `<_>` skips. The cheapest way to take a fixed layout apart.',
  options: {},
  fields: [],
  otherFields: 'one for each `<name>`; a canonical number becomes a number',
  example: {
    query: 'parse pattern "<ip> - <_> \\"<method> <path>\\"" | keep ip, method, path',
    input: '10.0.0.1 - ann "GET /index.html"',
    output: '{"ip":"10.0.0.1","method":"GET","path":"/index.html"}',
  },
  problems({ pattern }) {
    const names = (pattern ?? '').split(PLACEHOLDER).filter((name, index) => index % 2 === 1 && name !== '_')
    if (names.length > 0) return []
    return [{ message: 'the pattern captures nothing; name what to extract: <name>', option: null }]
  },
  create: ({ pattern }) => createPattern(pattern ?? ''),
}
