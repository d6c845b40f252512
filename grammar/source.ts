/** The text of a query and places in it. Offsets are UTF-16 code units, half-open; lines and columns are 1-based. */

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Position {
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly length: number
}

export interface SourceText {
  readonly text: string
}

export const NO_SPAN: Span = { start: 0, end: 0 }

export function joinSpans(first: Span, last: Span): Span {
  return { start: first.start, end: last.end }
}

/** Where a span begins, as people count. Complexity O(text before it). */
export function positionOf(source: SourceText, span: Span): Position {
  const before = source.text.slice(0, span.start)
  const line = before.split('\n').length
  const column = span.start - (before.lastIndexOf('\n') + 1) + 1
  return { offset: span.start, line, column, length: span.end - span.start }
}
