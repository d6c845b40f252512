/**
 * Patterns of users, matched in time linear in the text whatever the pattern. V8's engine backtracks, so it gets only the
 * patterns whose shape proves they cannot blow up; every other pattern runs on re2js, an automaton. One pattern language, RE2's.
 */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { shapeForV8, type V8Pattern } from './regex-shape.ts'
import { createWalk, type RegexWalk } from './regex-walk.ts'

/** A match: where it stands, and the whole and its groups by number; a group that took no part is undefined. */
export interface RegexMatch {
  readonly index: number
  readonly end: number
  readonly groups: readonly (string | undefined)[]
}

export interface CompiledRegex {
  /** Which machine runs it, for explain. */
  readonly machine: 'v8' | 'automaton'
  /** Group names by number; unnamed groups are null. Index 0 is the whole match. */
  readonly names: readonly (string | null)[]
  test(text: string): boolean
  /** The first match at or after `from`. */
  exec(text: string, from?: number): RegexMatch | null
}

const CACHE_LIMIT = 512
const cache = new Map<string, CompiledRegex | string>()

/** The compiled pattern, or what is wrong with it. */
export function compileRegex(pattern: string): CompiledRegex | string {
  let compiled = cache.get(pattern)
  if (compiled === undefined) {
    compiled = compile(pattern)
    // A pattern may come from a field, so the cache must not grow with the data.
    if (cache.size >= CACHE_LIMIT) cache.clear()
    cache.set(pattern, compiled)
  }
  return compiled
}

const require = createRequire(import.meta.url)
let library: typeof import('re2js') | null = null

/** Loaded with the first pattern: its tables take 0.8 MB, of each thread, and most questions have none. */
function automatonOf(pattern: string): RE2JS {
  library ??= require('re2js') as typeof import('re2js')
  return library.RE2JS.compile(pattern)
}

const LEADING_FLAGS = /^\(\?([ims]+)\)/

function compile(pattern: string): CompiledRegex | string {
  try {
    const automaton = automatonOf(pattern)
    const names = groupNames(automaton)
    const leading = LEADING_FLAGS.exec(pattern)
    const shape = shapeForV8(leading === null ? pattern : pattern.slice(leading[0].length), leading?.[1] ?? '')
    return (shape === null ? null : onV8(shape, names)) ?? onAutomaton(automaton, names)
  } catch (error) {
    if (/\(\?<?[=!]/.test(pattern)) return 'look-ahead and look-behind cannot be matched in linear time'
    if (/\\[1-9]/.test(pattern)) return 'back-references cannot be matched in linear time'
    const message = error instanceof Error ? error.message : String(error)
    return message.replace(/^error parsing regexp: /, '')
  }
}

function groupNames(automaton: RE2JS): readonly (string | null)[] {
  const names: (string | null)[] = new Array<string | null>(automaton.groupCount() + 1).fill(null)
  for (const [name, number] of Object.entries(automaton.namedGroups())) names[number] = name
  return names
}

function onV8(shape: V8Pattern, names: readonly (string | null)[]): CompiledRegex | null {
  let tester: RegExp
  let searcher: RegExp
  try {
    tester = new RegExp(shape.source, shape.flags)
    searcher = new RegExp(shape.source, `${shape.flags}g`)
  } catch {
    return null
  }
  return {
    machine: 'v8',
    names,
    test: text => tester.test(text),
    exec(text, from = 0) {
      searcher.lastIndex = from
      const match = searcher.exec(text)
      return match === null ? null : { index: match.index, end: match.index + match[0].length, groups: match }
    },
  }
}

function onAutomaton(automaton: RE2JS, names: readonly (string | null)[]): CompiledRegex {
  let walk: RegexWalk | null | undefined
  return {
    machine: 'automaton',
    names,
    test: text => automaton.matcher(text).find(),
    exec(text, from = 0) {
      if (from > text.length) return null
      walk ??= createWalk(automaton)
      const caps = walk?.exec(text, from)
      if (caps === null) return null
      return caps === undefined ? slowExec(automaton, names.length, text, from) : matchOf(caps, names.length, text)
    },
  }
}

function matchOf(caps: Int32Array, count: number, text: string): RegexMatch {
  const groups: (string | undefined)[] = []
  for (let i = 0; i < count; i++) {
    const start = caps[i * 2]!
    const end = caps[i * 2 + 1]!
    groups.push(start < 0 || end < 0 ? undefined : text.slice(start, end))
  }
  return { index: caps[0]!, end: caps[1]!, groups }
}

function slowExec(automaton: RE2JS, count: number, text: string, from: number): RegexMatch | null {
  const matcher = automaton.matcher(text)
  if (!matcher.find(from)) return null
  const groups: (string | undefined)[] = []
  for (let i = 0; i < count; i++) groups.push(matcher.group(i) ?? undefined)
  return { index: matcher.start(), end: matcher.end(), groups }
}
