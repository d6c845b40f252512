/** docker and cri: what a container wrote, as its engine keeps it: one JSON document a line, or a line behind a short header. */
import type { Value } from '../../storage/value.ts'
import type { FieldDoc, FormatDescriptor } from './descriptor.ts'
import { type Extractor, filledExtractor, setSpan } from './extractor.ts'
import { computed, fieldTable, text } from './fields.ts'
import { readDocument } from './json.ts'
import { isoTimeEnd } from './times.ts'

const DOCKER_FIELDS: readonly FieldDoc[] = [
  { name: 'timestamp', type: 'string', doc: 'as written: `2026-06-01T10:00:00.123456789Z`' },
  { name: 'stream', type: 'string', doc: '`stdout` or `stderr`' },
  { name: 'partial', type: 'bool', doc: 'does the line go on in the next event?' },
  { name: 'message', type: 'string', doc: 'what the container wrote, without the end of its line' },
  { name: 'attrs', type: 'object', doc: 'labels and variables the engine was told to log' },
]

export function createDocker(): Extractor {
  return filledExtractor(
    DOCKER_FIELDS.map(field => field.name),
    (line, values) => {
      const document = readDocument(line)
      if (typeof document === 'string') return document
      const { log, stream, time, attrs } = document
      if (typeof log !== 'string') return 'no text in "log"'
      if (typeof time === 'string') values[0] = time
      if (typeof stream === 'string') values[1] = stream
      values[2] = !log.endsWith('\n')
      values[3] = log.endsWith('\n') ? log.slice(0, log.endsWith('\r\n') ? -2 : -1) : log
      if (typeof attrs === 'object' && attrs !== null && !Array.isArray(attrs)) values[4] = labels(attrs)
      return null
    },
  )
}

/** Labels are text, whatever a document made by hand may say. */
function labels(attrs: object): Value {
  return Object.fromEntries(
    Object.entries(attrs).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

export const docker: FormatDescriptor = {
  summary:
    'The json-file log of Docker. What the container wrote is `message`; parse that in turn with `from message`.',
  options: {},
  fields: DOCKER_FIELDS,
  otherFields: null,
  example: {
    query: 'parse docker | keep stream, partial, message',
    input: '{"log":"listening on :8080\\n","stream":"stdout","time":"2026-06-01T10:00:00.123456789Z"}',
    output: '{"stream":"stdout","partial":false,"message":"listening on :8080"}',
  },
  create: createDocker,
}

const criTable = fieldTable({
  timestamp: text('as written: `2026-06-01T10:00:00.123456789Z`'),
  stream: text('`stdout` or `stderr`'),
  partial: computed('bool', 'does the line go on in the next event?', (line, start) => line[start] === 'P'),
  message: text('what the container wrote'),
})
const { at } = criTable

export function createCri(): Extractor {
  return criTable.extractor((line, spans) => {
    const timeEnd = isoTimeEnd(line, 0)
    if (timeEnd < 0 || line[timeEnd] !== ' ') return 'no time such as 2026-06-01T10:00:00.1Z at the start'
    const isStream = line.startsWith('stdout ', timeEnd + 1) || line.startsWith('stderr ', timeEnd + 1)
    if (!isStream) return 'neither stdout nor stderr after the time'
    const tag = timeEnd + 8
    const tagEnd = line.indexOf(' ', tag)
    const end = tagEnd < 0 ? line.length : tagEnd
    const isTag = (line[tag] === 'F' || line[tag] === 'P') && (end === tag + 1 || line[tag + 1] === ':')
    if (!isTag) return 'neither F (full) nor P (partial) after the stream'
    setSpan(spans, at.timestamp, 0, timeEnd)
    setSpan(spans, at.stream, timeEnd + 1, timeEnd + 7)
    setSpan(spans, at.partial, tag, end)
    setSpan(spans, at.message, Math.min(end + 1, line.length), line.length)
    return null
  })
}

export const cri: FormatDescriptor = {
  summary:
    'The log of containerd and CRI-O, as Kubernetes nodes keep it. What the container wrote is `message`; parse that in turn with `from message`.',
  options: {},
  fields: criTable.fields,
  otherFields: null,
  example: {
    query: 'parse cri | keep stream, partial, message',
    input: '2026-06-01T10:00:00.123456789Z stderr F panic: runtime error',
    output: '{"stream":"stderr","partial":false,"message":"panic: runtime error"}',
  },
  create: createCri,
}
