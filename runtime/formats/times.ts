/** Where a time ends that is written in one of the ways logs have. The formats only find times; nothing is read out of them. */
import { digitsEnd, hasLayout, isDigitAt } from './scan.ts'

/** `2026-06-01T10:00:00`, with a fraction and a zone (`Z`, `+02:00`, `+0200`) or without; -1: no such time. */
export function isoTimeEnd(text: string, start: number): number {
  if (!hasLayout(text, start, '0000-00-00T00:00:00')) return -1
  const end = fractionEnd(text, start + 19)
  const sign = text.charCodeAt(end)
  if (sign === 90) return end + 1
  if (sign !== 43 && sign !== 45) return end
  if (hasLayout(text, end + 1, '00:00')) return end + 6
  return hasLayout(text, end + 1, '0000') ? end + 5 : end
}

/** `Mar 27 13:06:56`, `Nov 9 12:01:01`, `Jan 05 2026 10:00:00`, from the month on; -1: no such time. */
export function syslogTimeEnd(text: string, start: number): number {
  let day = start + 3
  if (text[day] !== ' ') return -1
  day += text[day + 1] === ' ' ? 2 : 1
  const dayEnd = digitsEnd(text, day)
  if (dayEnd === day || dayEnd > day + 2 || text[dayEnd] !== ' ') return -1
  const clock = hasLayout(text, dayEnd + 1, '0000 ') ? dayEnd + 6 : dayEnd + 1
  return hasLayout(text, clock, '00:00:00') ? fractionEnd(text, clock + 8) : -1
}

/** Digits behind a dot or a comma, if there are any. */
export function fractionEnd(text: string, at: number): number {
  const mark = text.charCodeAt(at)
  return (mark === 46 || mark === 44) && isDigitAt(text, at + 1) ? digitsEnd(text, at + 1) : at
}
