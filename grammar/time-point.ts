/** The bounds of time ranges: `-1h`, `now`, `@d`, `-1h@h`, RFC 3339 instants and dates. */
import type { AstTimePoint, SnapUnit } from './ast.ts'
import { parseDateTime, parseDuration } from './literals.ts'
import { NO_SPAN, type Span } from './source.ts'

const RELATIVE = /^(now)?([+-][0-9][0-9a-z_.]*)?(?:@(s|m|h|d|w|mon|y))?$/i

/** Null when the text is no time point; a duration needs its sign, because `1h` could be meant either way. */
export function parseTimePoint(text: string, span: Span = NO_SPAN): AstTimePoint | null {
  const written = text.trim()
  const relative = written === '' ? null : RELATIVE.exec(written)
  if (relative !== null) {
    const offset = relative[2] === undefined ? 0 : parseDuration(relative[2].replace('+', '').toLowerCase())
    if (offset === null) return null
    const snap = (relative[3]?.toLowerCase() ?? null) as SnapUnit | null
    return { kind: 'relative', span, offsetNs: offset, text: written, snap }
  }
  const instant = parseDateTime(written)
  return instant === null ? null : { kind: 'absolute', span, text: written, ...instant }
}
