/**
 * Which patterns V8's backtracking engine may run. It gets a pattern only when the shape proves that matching takes time linear
 * in the text; all others go to the automaton. The pattern is rewritten on the way, because the two machines read `.` and `\s`
 * differently and the automaton's reading (RE2's) is the language.
 *
 * Proof, by cases. Call a repeat *delimited* when a literal must follow that the repeated atom cannot match: it can then end in
 * one place only, and giving characters back fails at once. Bounded choices (`?`, `{n,m}`, `|`) cost a constant factor, capped.
 *  1. No unbounded repeat: constant work per start.
 *  2. The last thing in the pattern is the only undelimited repeat: reaching it is matching, so it is scanned once.
 *  3. `^` in front: there is one start. Delimited repeats scan once each; the last repeat of all may be undelimited.
 *  4. A literal prefix holds a character that no unbounded atom matches: a scan from one start ends before the next start's
 *     such character, so each position of the text is scanned a bounded number of times.
 * Cases 2 to 4 need every other repeat delimited, no repeat on a group but `?`, and no `|` at top level beside a repeat.
 */

/** The source to hand to `new RegExp(source, flags)`, or null: not for V8. */
export interface V8Pattern {
  readonly source: string
  readonly flags: string
}

/** An atom and where its quantifier leaves it. */
interface Repeat {
  readonly atom: string
  readonly isDelimited: boolean
  /** Nothing but closing brackets follows. */
  readonly isFinal: boolean
}

interface Frame {
  takes: boolean
  allTake: boolean
}

const MAX_CHOICES = 1024
const GROUP = /\((?:\?:|\?P?<([A-Za-z_]\w*)>)?(?!\?)/y
const QUANTIFIER = /([*+?]|\{(\d{1,2})(?:,(\d{1,2}))?\})\??/y
const ESCAPE = /\\([dDwWsSbtnr]|[./\\[\](){}*+?|^$-])/y
const CLASS = /\[\^?(?:[^\\[\]^&~-]|\\[dwstnr]|\\[./\\[\](){}*+?|^$-]|[A-Za-z0-9]-[A-Za-z0-9])+\]/y
const PLAIN = /[^\\[\](){}*+?.|^$]/y

/** What `.` is to the automaton. */
const DOT = '[^\\n]'
const SPACES = '\\t\\n\\f\\r '
const TRANSLATED: Readonly<Record<string, string>> = { '\\s': `[${SPACES}]`, '\\S': `[^${SPACES}]` }

function matchAt(regex: RegExp, text: string, at: number): RegExpExecArray | null {
  regex.lastIndex = at
  return regex.exec(text)
}

/** `flags` are the leading ones of the pattern; only `i` and `s` are for V8. */
export function shapeForV8(pattern: string, flags: string): V8Pattern | null {
  if (!/^[\x20-\x7e]*$/.test(pattern) || /[^is]/.test(flags)) return null
  const folds = flags.includes('i')
  const dot = flags.includes('s') ? '[^]' : DOT
  const regexFlags = folds ? 'iu' : 'u'
  const repeats: Repeat[] = []
  const prefix: string[] = []
  let inPrefix = true
  let choices = 1
  // One frame per open group, and one for the whole: whether the current branch must take a character, and whether all did.
  const frames: Frame[] = [{ takes: false, allTake: true }]
  let topAlternatives = false
  const isAnchored = pattern.startsWith('^')
  let out = isAnchored ? '^' : ''
  let i = out.length

  while (i < pattern.length) {
    const char = pattern[i] as string
    if (char === '(') {
      const group = matchAt(GROUP, pattern, i)
      if (group === null) return null
      out += group[1] === undefined ? group[0] : `(?<${group[1]}>`
      frames.push({ takes: false, allTake: true })
      inPrefix = false
      i += group[0].length
      continue
    }
    if (char === ')') {
      const closed = frames.pop() as Frame
      const outer = frames.at(-1)
      if (outer === undefined) return null
      const takes = closed.allTake && closed.takes
      out += char
      const quantifier = matchAt(QUANTIFIER, pattern, ++i)
      if (quantifier === null) {
        outer.takes ||= takes
        continue
      }
      // A group that may match nothing is skipped by V8 and entered by the automaton: what it captured differs.
      if (quantifier[0] !== '?' || !takes) return null
      out += quantifier[0]
      choices *= 2
      i++
      continue
    }
    if (char === '|') {
      topAlternatives ||= frames.length === 1
      const frame = frames.at(-1) as Frame
      frame.allTake &&= frame.takes
      frame.takes = false
      choices += 1
      out += char
      i++
      continue
    }
    if (char === '$' && i === pattern.length - 1) {
      out += char
      i++
      continue
    }
    const atom = char === '.' ? dot : readAtom(pattern, i, folds)
    if (atom === null) return null
    i += char === '.' ? 1 : readLength
    const quantifier = matchAt(QUANTIFIER, pattern, i)
    if (quantifier === null) {
      if (inPrefix) prefix.push(atom)
      if (atom !== '\\b') (frames.at(-1) as Frame).takes = true
      out += atom
      continue
    }
    if (atom === '\\b') return null
    i += quantifier[0].length
    out += atom + quantifier[0]
    // `a+` and `a{3}` still promise one `a`, but a prefix ends where lengths become uncertain.
    inPrefix = false
    const bound = quantifier[1] as string
    if (bound === '+' || Number(quantifier[2] ?? 0) > 0) (frames.at(-1) as Frame).takes = true
    if (bound === '?') choices *= 2
    else if (quantifier[2] === undefined) {
      repeats.push({
        atom,
        isDelimited: isDelimited(atom, pattern.slice(i), regexFlags),
        isFinal: /^\)*$/.test(pattern.slice(i)),
      })
    } else choices *= Number(quantifier[3] ?? quantifier[2]) + 1
    if (matchAt(QUANTIFIER, pattern, i) !== null) return null
  }
  if (
    frames.length !== 1 ||
    choices > MAX_CHOICES ||
    !isLinear(repeats, isAnchored, topAlternatives, prefix, regexFlags)
  ) {
    return null
  }
  return { source: out, flags: regexFlags }
}

/** How many characters of the pattern the last call of readAtom took. */
let readLength = 0

/** An atom other than `.`, as V8 shall read it. Under `i` only atoms that both machines fold alike. */
function readAtom(pattern: string, at: number, folds: boolean): string | null {
  const escaped = matchAt(ESCAPE, pattern, at)
  if (escaped !== null) {
    readLength = 2
    // V8 folds `\w` (and so `\b`) into two letters beyond ASCII, the automaton does not.
    if (folds && /[wWb]/.test(escaped[1] as string)) return null
    return TRANSLATED[escaped[0]] ?? escaped[0]
  }
  const klass = matchAt(CLASS, pattern, at)
  if (klass !== null) {
    readLength = klass[0].length
    if (folds && /^\[\^|\\w/.test(klass[0])) return null
    return klass[0].replace(/\\s/g, SPACES)
  }
  const plain = matchAt(PLAIN, pattern, at)
  if (plain === null) return null
  readLength = 1
  return plain[0]
}

/** The atom at a place of a pattern without flags, as V8 reads it, and its length in the pattern; null: there is none it reads as the automaton does. */
export function atomAt(pattern: string, at: number): { readonly source: string; readonly length: number } | null {
  if (pattern[at] === '.') return { source: DOT, length: 1 }
  const source = readAtom(pattern, at, false)
  return source === null ? null : { source, length: readLength }
}

/** `max` null: as often as there are. */
export interface Quantifier {
  readonly min: number
  readonly max: number | null
  readonly isLazy: boolean
  readonly length: number
}

export function quantifierAt(pattern: string, at: number): Quantifier | null {
  const found = matchAt(QUANTIFIER, pattern, at)
  if (found === null) return null
  const [whole, bound, from, to] = found
  const length = whole.length
  const isLazy = length > bound!.length
  if (bound === '?') return { min: 0, max: 1, isLazy, length }
  if (from === undefined) return { min: bound === '+' ? 1 : 0, max: null, isLazy, length }
  return { min: Number(from), max: Number(to ?? from), isLazy, length }
}

function isLinear(
  repeats: readonly Repeat[],
  isAnchored: boolean,
  topAlternatives: boolean,
  prefix: readonly string[],
  flags: string,
): boolean {
  if (repeats.length === 0) return true
  if (repeats.length === 1 && repeats[0]?.isFinal) return true
  if (topAlternatives) return false
  const last = repeats.length - 1
  if (!repeats.every((repeat, i) => repeat.isDelimited || (i === last && (isAnchored || repeat.isFinal)))) return false
  if (isAnchored) return true
  return prefix.some(literal => isLiteral(literal) && repeats.every(repeat => !canMatch(repeat.atom, literal, flags)))
}

function isLiteral(atom: string): boolean {
  return atom.length === 1 || /^\\[^dDwWsSb]$/.test(atom)
}

function canMatch(atom: string, literal: string, flags: string): boolean {
  const char = literal.length === 1 ? literal : (UNESCAPED[literal] ?? (literal[1] as string))
  return new RegExp(`^${atom}$`, flags).test(char)
}

const UNESCAPED: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\r': '\r' }

/** Whether the atom can never match the literal character that must come next. */
function isDelimited(atom: string, rest: string, flags: string): boolean {
  const next = /^\)*(\\[./\\[\](){}*+?|^$tnr-]|[^\\[\](){}*+?.|^$])(?![*?{])/.exec(rest)
  return next !== null && !canMatch(atom, next[1] as string, flags)
}
