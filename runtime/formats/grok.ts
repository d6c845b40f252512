/** grok: named patterns joined into one regular expression, matched in linear time like any other. */
import type { CastType } from '../../grammar/ast.ts'
import type { Value } from '../../storage/value.ts'
import { compileRegex } from '../helpers/regex.ts'
import { type Capture, captureExtractor } from './captures.ts'
import { CASTS } from './casts.ts'
import type { FormatDescriptor, FormatProblem } from './descriptor.ts'
import { GROK_PATTERNS } from './grok-patterns.ts'
import { typedCapture } from './values.ts'

/** `%{NAME}`, `%{NAME:field}`, `%{NAME:field:type}`. */
const REFERENCE = /%\{(\w+)(?::([^:{}]+))?(?::([^:{}]+))?\}/g

/** Our names of types, and those logstash and Elasticsearch have. */
const TYPES: Readonly<Record<string, CastType>> = {
  int: 'int',
  integer: 'int',
  long: 'int',
  float: 'float',
  double: 'float',
  number: 'float',
  string: 'string',
  text: 'string',
  bool: 'bool',
  boolean: 'bool',
  datetime: 'datetime',
  duration: 'duration',
}

interface NamedField {
  readonly name: string
  readonly type: CastType | null
}

/** One pattern, its groups numbered by their place in `fields`. */
interface Expansion {
  readonly pattern: string
  readonly fields: readonly NamedField[]
}

/** Group names a pattern cannot have by accident; a field may be called anything, a group may not. */
const GROUP = /^grok_field_(\d+)$/

function expand(text: string): Expansion {
  const fields: NamedField[] = []
  const expandInto = (pattern: string): string =>
    pattern.replace(REFERENCE, (_, name: string, field: string | undefined, type: string | undefined) => {
      const inner = (): string => expandInto(GROK_PATTERNS[name] ?? '')
      if (field === undefined) return `(?:${inner()})`
      fields.push({ name: fieldName(field), type: type === undefined ? null : (TYPES[type] ?? null) })
      return `(?<grok_field_${fields.length - 1}>${inner()})`
    })
  return { pattern: expandInto(text), fields }
}

/** `[client][ip]`, as logstash writes nested fields, is `client.ip`. */
function fieldName(field: string): string {
  return /^\[.*\]$/.test(field) ? field.slice(1, -1).replaceAll('][', '.') : field
}

function capturesOf({ pattern, fields }: Expansion): Capture[] {
  const compiled = compileRegex(pattern)
  const names = typeof compiled === 'string' ? [] : compiled.names
  return names.flatMap((name, group) => {
    if (name === null) return []
    const field = fields[Number(GROUP.exec(name)?.[1] ?? -1)]
    return [{ name: field?.name ?? name, group, value: readerOf(field?.type ?? null) }]
  })
}

function readerOf(type: CastType | null): (text: string) => Value {
  return type === null ? typedCapture : CASTS[type]
}

function problemsOf(text: string): FormatProblem[] {
  const unknown = [...text.matchAll(REFERENCE)].flatMap(({ 0: all, 1: name = '', 3: type, index }) => [
    ...(GROK_PATTERNS[name] === undefined
      ? [misspelt(`there is no grok pattern '${name}'`, name, index + 2, GROK_PATTERNS)]
      : []),
    ...(type !== undefined && TYPES[type] === undefined
      ? [misspelt(`grok has no type '${type}'`, type, index + all.length - 1 - type.length, TYPES)]
      : []),
  ])
  if (unknown.length > 0) return unknown
  const broken = /%\{[^}]*\}?/.exec(text.replace(REFERENCE, ''))?.[0]
  if (broken !== undefined) return [{ message: `'${broken}' is not %{NAME} or %{NAME:field}`, option: null }]
  const expansion = expand(text)
  const compiled = compileRegex(expansion.pattern)
  if (typeof compiled === 'string') return [{ message: `not a usable pattern: ${compiled}`, option: null }]
  if (capturesOf(expansion).length > 0) return []
  return [{ message: 'the grok captures nothing; name what to extract: %{INT:status}', option: null }]
}

function misspelt(message: string, word: string, at: number, known: Readonly<Record<string, unknown>>): FormatProblem {
  return { message, option: null, misspelt: { word, at, known: Object.keys(known) } }
}

export const grok: FormatDescriptor = {
  summary:
    'Patterns by name, `%{NAME:field}` or `%{NAME:field:type}`, between pieces of regular expression; linear time on any text. Types: int, float, string, bool, datetime, duration.',
  options: {},
  fields: [],
  otherFields: 'one for each field named; without a type a canonical number becomes a number',
  example: {
    query: 'parse grok "%{IP:ip} %{WORD:method} %{URIPATHPARAM:path} %{INT:bytes:int}"',
    input: '10.0.0.1 GET /index.html?q=1 00512',
    output: '{"ip":"10.0.0.1","method":"GET","path":"/index.html?q=1","bytes":512}',
  },
  problems: ({ pattern }) => problemsOf(pattern ?? ''),
  create({ pattern }) {
    const expansion = expand(pattern ?? '')
    return captureExtractor(expansion.pattern, capturesOf(expansion))
  },
}
