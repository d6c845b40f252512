/**
 * Text every match of a pattern must hold, so that what does not hold it need not be matched: the longest run of plain characters
 * outside of groups, classes and repeats. Conservative: null when in doubt.
 */

export interface RequiredLiteral {
  readonly text: string
  readonly ignoreCase: boolean
  /** The pattern is nothing else: holding the literal is matching. */
  readonly isWhole: boolean
}

/** Shorter literals stand in nearly every text. */
const LITERAL_MIN = 3
const LEADING_FLAGS = /^\(\?([ims]+)\)/
const ESCAPED_PLAIN = /[./\\[\](){}*+?|^$-]/

export function requiredLiteral(pattern: string): RequiredLiteral | null {
  const flags = LEADING_FLAGS.exec(pattern)
  const source = flags === null ? pattern : pattern.slice(flags[0].length)
  const runs: string[] = []
  let run = ''
  let depth = 0
  let isPlain = true
  const endRun = (): void => {
    if (run !== '') runs.push(run)
    run = ''
  }
  for (let at = 0; at < source.length; at++) {
    const char = source[at]!
    if (char === '\\') {
      const next = source[++at]
      // `\d`, `\b`, `\Q…`: not a plain character; and a property name (`\p{L}`) would be read as text.
      if (next === undefined || /[pPQ]/.test(next)) return null
      if (!ESCAPED_PLAIN.test(next)) {
        endRun()
        isPlain = false
      } else if (depth === 0) run += next
      continue
    }
    if (char === '[') {
      const end = classEnd(source, at)
      if (end < 0) return null
      at = end
      endRun()
      isPlain = false
    } else if (char === '(') {
      endRun()
      depth++
      isPlain = false
      if (/^\(\?[imsU-]/.test(source.slice(at, at + 3))) return null
    } else if (char === ')') depth--
    else if (char === '|') {
      if (depth === 0) return null
    } else if (char === '?' || char === '*' || char === '{') {
      // The character before may not be there at all.
      run = run.slice(0, -1)
      endRun()
      isPlain = false
      if (char === '{') {
        const end = source.indexOf('}', at)
        if (end < 0) return null
        at = end
      }
    } else if (char === '+' || char === '.' || char === '^' || char === '$') {
      endRun()
      isPlain = false
    } else if (depth === 0) run += char
  }
  endRun()
  const text = runs.reduce((longest, each) => (each.length > longest.length ? each : longest), '')
  if (text.length < LITERAL_MIN || !/^[\x20-\x7e]+$/.test(text)) return null
  return { text, ignoreCase: flags?.[1]?.includes('i') === true, isWhole: isPlain }
}

/** The `]` that ends the class opened at `at`. */
function classEnd(source: string, at: number): number {
  let end = at + 1
  if (source[end] === '^') end++
  if (source[end] === ']') end++
  for (; end < source.length; end++) {
    if (source[end] === '\\') end++
    else if (source[end] === '[' && source[end + 1] === ':') {
      const named = source.indexOf(':]', end)
      if (named < 0) return -1
      end = named + 1
    } else if (source[end] === ']') return end
  }
  return -1
}
