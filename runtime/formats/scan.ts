/** Small steps through a text that the formats share. All are total: any text, any place in it. */

export const SPACE = 32
export const QUOTE = 34

export function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** The first place at or after `at` that is not a digit. */
export function digitsEnd(text: string, at: number): number {
  let end = at
  while (isDigitAt(text, end)) end++
  return end
}

/** The next space, or the end of the text. */
export function wordEnd(text: string, at: number): number {
  const end = text.indexOf(' ', at)
  return end < 0 ? text.length : end
}

export function skipSpaces(text: string, at: number): number {
  let next = at
  while (text.charCodeAt(next) === SPACE) next++
  return next
}

/** The closing quote of what starts at `from`, escaped quotes skipped; -1 without one. */
export function quoteEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (at - 1 - slashes >= from && text.charCodeAt(at - 1 - slashes) === 92) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** Does the text at `at` look like `0000-00-00`: a 0 in the layout is a digit, everything else stands for itself? */
export function hasLayout(text: string, at: number, layout: string): boolean {
  for (let i = 0; i < layout.length; i++) {
    const wanted = layout.charCodeAt(i)
    if (wanted === 48 ? !isDigitAt(text, at + i) : text.charCodeAt(at + i) !== wanted) return false
  }
  return true
}

/** A piece of the text for a message: what stood where something else should. */
export function found(text: string, at: number): string {
  if (at >= text.length) return 'the end'
  const piece = text.slice(at, at + 20)
  return `'${piece}${at + 20 < text.length ? '…' : ''}'`
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'

export function isMonth(text: string, at: number): boolean {
  const place = MONTHS.indexOf(text.slice(at, at + 3))
  return place >= 0 && place % 3 === 0 && at + 3 <= text.length
}
