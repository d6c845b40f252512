/** Where a line ends: at LF, or at the end of the bytes; a CR before that is none of it. */
export const NEWLINE = 10
export const RETURN = 13

/** The place of the LF behind the line that begins at `at`, or `end`. */
export function endOfLine(bytes: Buffer, at: number, end: number): number {
  const stop = bytes.indexOf(NEWLINE, at)
  return stop < 0 || stop > end ? end : stop
}

/** Where its text ends. @param stop  as `endOfLine` says */
export function endOfText(bytes: Buffer, at: number, stop: number): number {
  return stop > at && bytes[stop - 1] === RETURN ? stop - 1 : stop
}
