/** java_stack: an exception with its stack trace, its lines in one text, behind the line of a logger or alone. */
import type { Value } from '../../storage/value.ts'
import type { FieldDoc, FormatDescriptor } from './descriptor.ts'
import { type Extractor, filledExtractor } from './extractor.ts'

const FIELDS: readonly FieldDoc[] = [
  { name: 'exception', type: 'string', doc: 'its class' },
  { name: 'message', type: 'string', doc: 'behind the class, its lines included' },
  { name: 'thread', type: 'string', doc: 'of `Exception in thread "…"`' },
  { name: 'frames', type: 'array', doc: 'what stands behind `at`, innermost first, of the exception itself' },
  { name: 'caused_by', type: 'array', doc: 'class and message of each cause, outermost first' },
  { name: 'root_cause', type: 'string', doc: 'class of the last cause' },
]

const THREAD = 'Exception in thread "'

interface Head {
  readonly thread: string | null
  readonly exception: string
  /** Where the message begins in the line; -1: there is none. */
  readonly message: number
}

export function createJavaStack(): Extractor {
  return filledExtractor(
    FIELDS.map(field => field.name),
    (text, values) => {
      const lines = text.split('\n').map(line => (line.endsWith('\r') ? line.slice(0, -1) : line))
      const firstFrame = lines.findIndex(line => frameOf(line) !== null)
      // Without frames only a text that is an exception and nothing else counts.
      const before = firstFrame < 0 ? lines.slice(0, 1) : lines.slice(0, firstFrame)
      const found = findHead(before, firstFrame < 0)
      if (found === null)
        return firstFrame < 0
          ? 'no exception and no line that begins with at'
          : 'no exception before the first line that begins with at'
      const { head, line } = found
      values[0] = head.exception
      values[1] = messageOf(lines, line, head, firstFrame < 0 ? lines.length : firstFrame)
      if (head.thread !== null) values[2] = head.thread
      const rest = lines.slice(line + 1)
      const frames = framesOf(rest)
      if (frames.length > 0) values[3] = frames
      const causes = rest.flatMap(each => causeOf(each) ?? [])
      if (causes.length > 0) {
        values[4] = causes
        values[5] = classAt(causes.at(-1)!, 0) ?? undefined
      }
      return null
    },
  )
}

function frameOf(line: string): string | null {
  const trimmed = line.trim()
  return trimmed.startsWith('at ') && trimmed.includes('(') ? trimmed.slice(3) : null
}

function causeOf(line: string): string | null {
  const trimmed = line.trim()
  return trimmed.startsWith('Caused by: ') ? trimmed.slice(11) : null
}

/** Up to the first cause: what follows is the stack of another exception. */
function framesOf(lines: readonly string[]): string[] {
  const frames: string[] = []
  for (const line of lines) {
    if (causeOf(line) !== null || line.trim().startsWith('Suppressed: ')) break
    const frame = frameOf(line)
    if (frame !== null) frames.push(frame)
  }
  return frames
}

/** The line that names the exception: one that begins with its class, else one that has it at the end of a logger's line. */
function findHead(lines: readonly string[], isAlone: boolean): { readonly head: Head; readonly line: number } | null {
  for (const [line, text] of lines.entries()) {
    const head = headAt(text)
    if (head !== null && (!isAlone || isThrowable(head.exception))) return { head, line }
  }
  if (isAlone) return null
  for (const [line, text] of lines.entries()) {
    const head = headWithin(text)
    if (head !== null) return { head, line }
  }
  return null
}

function headAt(line: string): Head | null {
  const quote = line.startsWith(THREAD) ? line.indexOf('" ', THREAD.length) : -1
  const start = quote < 0 ? 0 : quote + 2
  const exception = classAt(line, start)
  if (exception === null) return null
  const end = start + exception.length
  const thread = quote < 0 ? null : line.slice(THREAD.length, quote)
  if (end === line.length) return { thread, exception, message: -1 }
  return line.startsWith(': ', end) || end + 1 === line.length ? { thread, exception, message: end + 1 } : null
}

/** `… ERROR Foo - java.io.IOException: disk full` */
function headWithin(line: string): Head | null {
  for (let space = line.indexOf(' '); space >= 0; space = line.indexOf(' ', space + 1)) {
    const exception = classAt(line, space + 1)
    if (exception === null || !isThrowable(exception)) continue
    const end = space + 1 + exception.length
    if (end === line.length || line.startsWith(': ', end)) {
      return { thread: null, exception, message: end === line.length ? -1 : end + 1 }
    }
  }
  return null
}

function isThrowable(name: string): boolean {
  return name.endsWith('Exception') || name.endsWith('Error') || name.endsWith('Throwable')
}

/** A class with its package: letters, digits, `_`, `$`, at least one dot inside, followed by a colon or the end of the line. */
function classAt(text: string, start: number): string | null {
  let end = start
  let dot = -1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === 46) {
      if (end === dot + 1 || end === start) return null
      dot = end
    } else if (!isNameCode(code)) break
  }
  const isEnded = end === text.length || text.charCodeAt(end) === 58
  const startsWell = !(text.charCodeAt(start) >= 48 && text.charCodeAt(start) <= 57)
  return dot > start && dot < end - 1 && isEnded && startsWell ? text.slice(start, end) : null
}

function isNameCode(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95 || code === 36
}

function messageOf(lines: readonly string[], line: number, head: Head, end: number): Value {
  const first = head.message < 0 ? '' : lines[line]!.slice(head.message)
  const message = [first, ...lines.slice(line + 1, end)].join('\n').trim()
  return message === '' ? undefined : message
}

export const javaStack: FormatDescriptor = {
  summary: 'A Java exception with its stack trace, the lines in one text; the line of a logger may stand before it.',
  options: {},
  fields: FIELDS,
  otherFields: null,
  example: {
    query: 'parse java_stack from trace | keep exception, message, frames, root_cause',
    input:
      '{"trace":"java.lang.IllegalStateException: order 7 is stuck\\n\\tat shop.Orders.ship(Orders.java:42)\\n\\tat shop.Main.main(Main.java:7)\\nCaused by: java.io.IOException: disk full\\n\\tat shop.Disk.write(Disk.java:9)\\n\\t... 1 more"}',
    output:
      '{"exception":"java.lang.IllegalStateException","message":"order 7 is stuck","frames":["shop.Orders.ship(Orders.java:42)","shop.Main.main(Main.java:7)"],"root_cause":"java.io.IOException"}',
  },
  create: createJavaStack,
}
