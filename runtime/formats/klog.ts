/** klog: what Kubernetes components and everything else on glog write: `E0601 10:00:00.123456    1 server.go:42] message`. */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, setSpan } from './extractor.ts'
import { computed, fieldTable, integer, text } from './fields.ts'
import { digitsEnd, hasLayout, skipSpaces } from './scan.ts'

const LEVELS: Readonly<Record<string, string>> = { I: 'info', W: 'warning', E: 'error', F: 'fatal' }

const table = fieldTable({
  level: computed('string', 'info warning error fatal', (line, start) => LEVELS[line.charAt(start)]),
  timestamp: text('month, day and time as written, no year: `0601 10:00:00.123456`'),
  pid: integer('process or thread'),
  file: text('source file'),
  line: integer('in the source file'),
  message: text('the rest'),
})
const { at } = table

export function createKlog(): Extractor {
  return table.extractor((line, spans) => {
    const dayEnd = digitsEnd(line, 1)
    const isDay = dayEnd === 5 || dayEnd === 9
    if (LEVELS[line.charAt(0)] === undefined || !isDay || !hasLayout(line, dayEnd, ' 00:00:00.'))
      return 'no level, day and time such as E0601 10:00:00.123456 at the start'
    const timeEnd = digitsEnd(line, dayEnd + 10)
    const pid = skipSpaces(line, timeEnd)
    const pidEnd = digitsEnd(line, pid)
    if (pid === timeEnd || pidEnd === pid || line[pidEnd] !== ' ') return 'no process after the time'
    const close = line.indexOf('] ', pidEnd)
    const end = close < 0 && line.endsWith(']') ? line.length - 1 : close
    const colon = end < 0 ? -1 : line.lastIndexOf(':', end)
    if (colon <= pidEnd + 1 || colon + 1 === end || digitsEnd(line, colon + 1) !== end) {
      return 'no file and line such as server.go:42] after the process'
    }
    setSpan(spans, at.level, 0, 1)
    setSpan(spans, at.timestamp, 1, timeEnd)
    setSpan(spans, at.pid, pid, pidEnd)
    setSpan(spans, at.file, pidEnd + 1, colon)
    setSpan(spans, at.line, colon + 1, end)
    setSpan(spans, at.message, Math.min(end + 2, line.length), line.length)
    return null
  })
}

export const klog: FormatDescriptor = {
  summary: 'klog and glog: Kubernetes components and other programs in Go and C++.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse klog | keep level, pid, file, line, message',
    input: 'E0601 10:00:00.123456    1234 reflector.go:138] Failed to watch *v1.Pod: connection refused',
    output:
      '{"level":"error","pid":1234,"file":"reflector.go","line":138,"message":"Failed to watch *v1.Pod: connection refused"}',
  },
  create: createKlog,
}
