/** `parse auto`, plainly: every format in turn, with what is asked of a text that nobody said is in it. */
import type { ParseFormat } from '../../../grammar/ast.ts'
import { readFirst } from './index.ts'
import { type Found, known } from './texts.ts'

const ORDER: readonly ParseFormat[] = [
  ...([
    'docker',
    'json',
    'cef',
    'leef',
    'combined',
    'haproxy',
    'cri',
    'syslog',
    'nginx_error',
    'apache_error',
  ] as const),
  ...(['klog', 'redis', 'postgres', 'w3c', 'mysql_slow', 'java_stack', 'logfmt'] as const),
]

const ALSO: Partial<Readonly<Record<ParseFormat, (text: string) => boolean>>> = {
  docker: text => text.includes('"log":') && text.includes('"time":'),
  syslog: text => !/^\d\S{18,39} +\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b/i.test(text),
  w3c: text => /^\S+ \S+ \S+ [A-Z]+ \S+ \S+ \d+ /.test(text),
}

export function readAuto(text: string, read: (format: ParseFormat) => Found): Found {
  return readFirst([
    ...ORDER.map((format): readonly [string, () => Found] => [
      format,
      () => (ALSO[format]?.(text) === false ? 'unlikely' : read(format)),
    ]),
    ['log', () => readLogLine(text)],
  ])
}

const LEVELS =
  'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|CRIT|FATAL|PANIC|VERBOSE|FINE|Info|Warning|Error|Debug'
const TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d|\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d|\d{6} \d{6}`
const LOG_LINE = new RegExp(
  `^\\[?((?:${TIME})(?:[.,]\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)?)(?=(.{0,63}?)(?<![A-Za-z])(${LEVELS})(?![A-Za-z])[\\]:,|]? *(.*)$)`,
  's',
)

function readLogLine(text: string): Found {
  const match = LOG_LINE.exec(text)
  return match === null ? 'no match' : known({ timestamp: match[1], level: match[3], message: match[4] })
}
