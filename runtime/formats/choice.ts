/** auto and first_of: several formats tried on each text, the first that fits read. `_format` says which it was. */
import type { Value } from '../../storage/value.ts'
import type { FormatSpec } from '../program.ts'
import { createCombined } from './access.ts'
import { createApacheError } from './apache-error.ts'
import { createCri, createDocker } from './containers.ts'
import type { FieldDoc, FormatDescriptor } from './descriptor.ts'
import { type Extractor, openExtractor } from './extractor.ts'
import { createHaproxy } from './haproxy.ts'
import { createJavaStack } from './java-stack.ts'
import { createJson } from './json.ts'
import { createKlog } from './klog.ts'
import { createLogLine } from './log-line.ts'
import { createMysqlSlow } from './mysql-slow.ts'
import { createNginxError } from './nginx-error.ts'
import { createLogfmt } from './pairs.ts'
import { createPostgres } from './postgres.ts'
import { createRedis } from './redis.ts'
import { createCef, createLeef } from './security.ts'
import { createSyslog } from './syslog.ts'
import { createW3c } from './w3c.ts'

const FORMAT_FIELD: FieldDoc = { name: '_format', type: 'string', doc: 'the format that fitted' }

interface Alternative {
  readonly format: string
  readonly extractor: Extractor
}

// ── first_of ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function createFirstOf(alternatives: readonly Alternative[]): Extractor {
  let current: Alternative = alternatives[0]!
  const read = (text: string): string | null => {
    const problems: string[] = []
    for (const alternative of alternatives) {
      const problem = alternative.extractor.read(text)
      if (problem === null) {
        current = alternative
        return null
      }
      problems.push(`${alternative.format}: ${problem}`)
    }
    return `no format fits: ${problems.join('; ')}`
  }
  const emit: Extractor['emit'] = sink => {
    if (sink.wants('_format')) sink.add('_format', current.format)
    current.extractor.emit(sink)
  }
  const names = namesOf(alternatives)
  if (names === null) return openExtractor({ read, emit })
  const places = new Map(
    alternatives.map(alternative => [alternative, names.map(name => alternative.extractor.names!.indexOf(name))]),
  )
  const value = (index: number): Value => {
    if (index === 0) return current.format
    const place = places.get(current)![index]!
    return place < 0 ? undefined : current.extractor.value(place)
  }
  return { names, read, value, emit }
}

/** The fields of all; null when some depend on the text. */
function namesOf(alternatives: readonly Alternative[]): readonly string[] | null {
  const names = new Set(['_format'])
  for (const { extractor } of alternatives) {
    if (extractor.names === null) return null
    for (const name of extractor.names) names.add(name)
  }
  return [...names]
}

export function firstOf(create: (spec: FormatSpec) => Extractor): FormatDescriptor {
  return {
    summary:
      'The first of several formats that fits a text: `first_of(json, kv(sep=";"), syslog)`. Formats are tried in the order given; `_error_detail` says why each did not fit.',
    options: {},
    fields: [FORMAT_FIELD],
    otherFields: 'those of the format that fits',
    example: {
      query: 'parse first_of(json, logfmt) from body | keep _format, user, ms',
      input: '{"body":"{\\"user\\":\\"ann\\",\\"ms\\":4}"}\n{"body":"user=bob ms=7"}',
      output: '{"_format":"json","user":"ann","ms":4}\n{"_format":"logfmt","user":"bob","ms":7}',
    },
    create: spec => createFirstOf(spec.alternatives.map(each => ({ format: each.format, extractor: create(each) }))),
  }
}

// ── auto ────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Candidate {
  readonly format: string
  /** A text that begins with this is in the format or in none. */
  readonly opens?: number
  readonly create: () => Extractor
  /** A cheap look: false when the text cannot be in the format, or is too unlike it to be taken for it unasked. */
  mayBe(text: string, first: number): boolean
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122

const LEVEL_SECOND = /^\S{19,40} +\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b/i

/** In the order in which they are tried: what says most of itself comes first. */
export const AUTO_CANDIDATES: readonly Candidate[] = [
  {
    format: 'docker',
    create: createDocker,
    mayBe: (text, first) => first === 123 && text.includes('"log":') && text.includes('"time":'),
  },
  { format: 'json', create: createJson, opens: 123, mayBe: (_, first) => first === 123 || first === 32 || first === 9 },
  { format: 'cef', create: createCef, mayBe: text => text.includes('CEF:') },
  { format: 'leef', create: createLeef, mayBe: text => text.includes('LEEF:') },
  { format: 'combined', create: createCombined, mayBe: text => text.includes('] "') },
  { format: 'haproxy', create: createHaproxy, mayBe: text => text.includes(' [') },
  { format: 'cri', create: createCri, mayBe: (_, first) => isDigit(first) },
  {
    format: 'syslog',
    create: createSyslog,
    // Loggers write ISO times too, and then a level where syslog has the host.
    mayBe: (text, first) => first === 60 || isLetter(first) || (isDigit(first) && !LEVEL_SECOND.test(text)),
  },
  { format: 'nginx_error', create: createNginxError, mayBe: (_, first) => isDigit(first) },
  { format: 'apache_error', create: createApacheError, mayBe: (_, first) => first === 91 },
  { format: 'klog', create: createKlog, mayBe: (_, first) => isLetter(first) },
  { format: 'redis', create: createRedis, mayBe: (_, first) => isDigit(first) || first === 91 },
  { format: 'postgres', create: createPostgres, mayBe: (_, first) => isDigit(first) || first === 60 },
  {
    format: 'w3c',
    create: () => createW3c(undefined),
    // Fifteen words are soon found; the method and the port of the default order stand in no other log.
    mayBe: (text, first) => isDigit(first) && /^\S+ \S+ \S+ [A-Z]+ \S+ \S+ \d+ /.test(text.slice(0, 4096)),
  },
  { format: 'mysql_slow', create: createMysqlSlow, mayBe: (_, first) => first === 35 },
  {
    format: 'java_stack',
    create: createJavaStack,
    mayBe: text => text.includes('\n') || /Exception|Error|Throwable/.test(text),
  },
  { format: 'logfmt', create: createLogfmt, mayBe: text => text.includes('=') },
  { format: 'log', create: createLogLine, mayBe: (_, first) => isDigit(first) || first === 91 },
]

function createAuto(): Extractor {
  const candidates = AUTO_CANDIDATES.map(candidate => ({ ...candidate, extractor: candidate.create() }))
  let current = candidates[0]!
  return openExtractor({
    read(text) {
      const first = text.charCodeAt(0)
      for (const candidate of candidates) {
        if (!candidate.mayBe(text, first)) continue
        const problem = candidate.extractor.read(text)
        if (problem === null) {
          current = candidate
          return null
        }
        if (first === candidate.opens) return `${candidate.format}: ${problem}`
      }
      return 'no known format fits; parse pattern, grok and regex take any text apart'
    },
    emit(sink) {
      if (sink.wants('_format')) sink.add('_format', current.format)
      current.extractor.emit(sink)
    },
  })
}

export const auto: FormatDescriptor = {
  summary: `Each text in the first format that fits it: ${AUTO_CANDIDATES.slice(0, -1)
    .map(({ format }) => format)
    .join(
      ', ',
    )}. A line in none of them that begins with a time and has a level after it becomes \`timestamp\`, \`level\` and \`message\`, and \`_format\` is \`log\`. Naming the format is quicker, and says what is meant.`,
  options: {},
  fields: [FORMAT_FIELD],
  otherFields: 'those of the format that fits',
  example: {
    query: 'parse auto | keep _format, level, message',
    input: '2026-06-01 10:00:00,123 WARN [main] shop.Orders: slow\nlevel=info message=started',
    output:
      '{"_format":"log","level":"WARN","message":"[main] shop.Orders: slow"}\n{"_format":"logfmt","level":"info","message":"started"}',
  },
  create: createAuto,
}
