/** regex and pattern: captures become fields. Both are linear in the text on any pattern. */
import { compileRegex } from '../helpers/regex.ts'
import { type Extractor, typedCapture } from './extractor.ts'

export const NO_REGEX_MATCH = 'the pattern does not match'

/** Named groups only; a group that took no part in the match sets nothing. */
export function regex(pattern: string): Extractor {
  const compiled = compileRegex(pattern)
  if (typeof compiled === 'string') throw new Error(`the compiler let an invalid pattern through: ${compiled}`)
  const groups = compiled.names.flatMap((name, index) => (name === null ? [] : [{ name, index }]))
  return {
    names: groups.map(group => group.name),
    extract(text, out) {
      const match = compiled.exec(text)
      if (match === null) return NO_REGEX_MATCH
      for (const [position, { index }] of groups.entries()) {
        const captured = match.groups[index]
        out[position] = captured === null || captured === undefined ? undefined : typedCapture(captured)
      }
      return null
    },
  }
}

const PLACEHOLDER = /<([A-Za-z_@][\w.@-]*)>/

/** `<ip> - <user> [<ts>]`: literal text around captures that reach to the next literal; `<_>` is skipped. Anchored at the start. */
export function pattern(text: string): Extractor {
  const pieces = text.split(PLACEHOLDER)
  const literals = pieces.filter((_, index) => index % 2 === 0)
  const captures = pieces.filter((_, index) => index % 2 === 1)
  const names = [...new Set(captures.filter(name => name !== '_'))]
  const positions = captures.map(name => names.indexOf(name))
  return {
    names,
    extract(line, out) {
      if (!line.startsWith(literals[0]!)) return 'the pattern does not match'
      let at = literals[0]!.length
      for (const [index, position] of positions.entries()) {
        const literal = literals[index + 1]!
        const isLast = index === positions.length - 1
        const end = literal === '' && isLast ? line.length : line.indexOf(literal, at)
        if (end < 0) return `no '${literal}' after ${captures[index]}`
        if (position >= 0) out[position] = typedCapture(line.slice(at, end))
        at = end + literal.length
      }
      return null
    },
  }
}
