/**
 * A random line of each format of `parse`, and the fields it was made from: what parsing it must give back. Also what the fuzzer
 * puts into events, and what the bench measures over.
 */
import type { ParseFormat } from '../../grammar/ast.ts'
import { HAPROXY_LINES } from './lines/haproxy.ts'
import { LAYOUT_LINES } from './lines/layouts.ts'
import type { LineMaker } from './lines/parts.ts'
import { SECURITY_LINES } from './lines/security.ts'
import { SERVER_LINES } from './lines/servers.ts'
import { SYSLOG_LINES } from './lines/syslog.ts'
import { WEB_LINES } from './lines/web.ts'

export type { FormatLine } from './lines/parts.ts'

export const FORMAT_LINES: Readonly<Record<Exclude<ParseFormat, 'auto' | 'first_of'>, LineMaker>> = {
  ...LAYOUT_LINES,
  ...SYSLOG_LINES,
  ...WEB_LINES,
  ...HAPROXY_LINES,
  ...SECURITY_LINES,
  ...SERVER_LINES,
}
