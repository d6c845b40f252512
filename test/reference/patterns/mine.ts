/**
 * Templates from masked lines as the rules say it, with texts instead of numbers, and every stretch of every template written out:
 * `runtime/patterns/split.ts` and `fold.ts` once more, without hashing, interning or early exits.
 */
import { joinSlots, showSlot, WORDS } from '../../../runtime/patterns/kinds.ts'
import type { Masked } from './mask.ts'

/** A word or a delimiter, with what it stood for, and all the words that were joined to it. */
interface Part {
  readonly text: string
  readonly slots: readonly number[]
  readonly words: readonly string[]
}

interface Group {
  readonly parts: readonly Part[]
  readonly lines: readonly number[]
}

export interface Pattern {
  readonly pattern: string
  /** Positions of its lines. */
  readonly lines: readonly number[]
}

const isDelimiter = (text: string): boolean => /^[ =:,;()[\]{}"'<>|]$/.test(text)
const isPure = (text: string): boolean => text === '\x01' || text === '\x01\x02'
const isMasked = (text: string): boolean => text.includes('\x01')
const isText = (text: string): boolean => /\p{L}/u.test(text) && !isMasked(text)

export function minePatterns(lines: readonly Masked[]): Pattern[] {
  const exact = new Map<string, Group>()
  for (const [index, { text, slots }] of lines.entries()) {
    let slot = 0
    const texts = text.split(/([ =:,;()[\]{}"'<>|])/).filter(part => part !== '')
    const parts = texts.map((part): Part => {
      const count = part.split('\x01').length - 1
      slot += count
      return { text: part, slots: slots.slice(slot - count, slot), words: [part] }
    })
    const known = exact.get(text)
    exact.set(text, known === undefined ? { parts, lines: [index] } : together([known, { parts, lines: [index] }]))
  }
  const shapes = groupBy(exact.values(), ({ parts }) =>
    parts.map(({ text }) => (isDelimiter(text) ? text : 'w')).join(''),
  )
  let groups = [...shapes.values()].flatMap(apart)
  for (let round = 0; round < 16; round++) {
    groups = unique(groups)
    const next = folded(groups)
    if (next === null) break
    groups = next
  }
  const patterns = groupBy(unique(groups), ({ parts }) => patternOf(parts))
  return [...patterns].map(([pattern, same]) => ({ pattern, lines: same.flatMap(group => group.lines) }))
}

function patternOf(parts: readonly Part[]): string {
  const isBeside = (at: number): boolean => at > 0 && !isDelimiter(parts[at]!.text) && !isDelimiter(parts[at - 1]!.text)
  return parts.map((part, at) => (isBeside(at) ? ' ' : '') + shown(part)).join('')
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function joined(parts: readonly Part[]): Part {
  const isSame = parts.every(({ text }) => text === parts[0]!.text)
  return {
    text: isSame ? parts[0]!.text : '\x01',
    slots: isSame ? parts[0]!.slots.map((_, n) => parts.map(part => part.slots[n]!).reduce(joinSlots)) : [WORDS],
    words: parts.flatMap(part => part.words),
  }
}

function together(groups: readonly Group[]): Group {
  return {
    parts: groups[0]!.parts.map((_, at) => joined(groups.map(({ parts }) => parts[at]!))),
    lines: groups.flatMap(group => group.lines),
  }
}

function unique(groups: readonly Group[]): Group[] {
  return [...groupBy(groups, textOf).values()].map(together)
}

const textOf = ({ parts }: Group): string => parts.map(({ text }) => text).join('\n')

// Apart, from the top down.

const many = (around: number): number => [Number.POSITIVE_INFINITY, 16, 8][around] ?? 4

function apart(groups: readonly Group[]): Group[] {
  if (groups.length === 1) return [...groups]
  const valuesAt = (at: number, of: readonly Group[] = groups): Set<string> =>
    new Set(of.map(({ parts }) => parts[at]!.text))
  const places = groups[0]!.parts
    .map((part, at) => ({ part, at, values: valuesAt(at) }))
    .filter(({ part }) => !isDelimiter(part.text))
  const varying = places.filter(({ values }) => values.size > 1)
  const constant = places.filter(({ part, values }) => values.size === 1 && isText(part.text)).length
  const worded = varying.filter(({ values }) => ![...values].some(isPure) && ![...values].every(isMasked))
  const candidates = worded.length > 0 ? worded : varying
  const fewest = candidates.find(({ values }) => candidates.every(other => values.size <= other.values.size))
  if (fewest === undefined) return [together(groups)]
  const pieces = [...groupBy(groups, ({ parts }) => parts[fewest.at]!.text).values()]
  const others = worded.filter(place => place !== fewest)
  const explained = others.map(({ at, values }) => {
    const more = pieces.map(piece => valuesAt(at, piece).size - 1).reduce((sum, one) => sum + one, 0)
    return 1 - more / Math.max(1, values.size - 1)
  })
  const lines = groups.flatMap(group => group.lines).length
  const count = fewest.values.size
  const isLinked =
    count <= 20 && lines >= 1.5 * groups.length && explained.reduce((sum, one) => sum + one, 0) >= 0.8 * others.length
  const isApart =
    worded.length === 0
      ? constant === 0
      : count <= 4 ||
        (others.length === 0 ? count <= many(constant) : isLinked || constant < 0.5 * (constant + varying.length))
  return isApart ? pieces.flatMap(apart) : [together(groups)]
}

// Folded, from the bottom up.

interface Stretch {
  readonly group: Group
  readonly before: readonly Part[]
  readonly inside: readonly Part[]
  readonly after: readonly Part[]
}

function folded(groups: readonly Group[]): Group[] | null {
  const places = [...groupBy(groups.flatMap(stretchesOf), keyOf).entries()]
    .map(([key, stretches]) => ({
      key,
      stretches: stretches.filter((one, at) => stretches.findIndex(other => other.group === one.group) === at),
    }))
    .filter(({ stretches }) => stretches.length > 1 && varies(stretches))
    .sort((a, b) => b.stretches.length - a.stretches.length || (a.key < b.key ? -1 : 1))
  if (places.length === 0) return null
  const taken = new Set<Group>()
  const made: Group[] = []
  for (const { stretches } of places) {
    if (stretches.some(({ group }) => taken.has(group))) continue
    for (const { group } of stretches) taken.add(group)
    made.push(replaced(stretches))
  }
  return [...made, ...groups.filter(group => !taken.has(group))]
}

const keyOf = ({ before, after }: Stretch): string =>
  `${before.map(({ text }) => text).join('\n')}\0${after.map(({ text }) => text).join('\n')}`

function stretchesOf(group: Group): Stretch[] {
  const { parts } = group
  const found: Stretch[] = []
  for (let start = 0; start <= parts.length; start++) {
    for (let end = start; end <= Math.min(parts.length, start + 8); end++) {
      const inside = parts.slice(start, end)
      const texts = inside.map(({ text }) => text)
      if (texts.filter(isText).length > 2 || !isClosedSoFar(texts)) break
      if (texts.length === 1 && isDelimiter(texts[0]!)) continue
      if (texts.length > 1 && (!texts.some(isMasked) || depthOf(texts) !== 0)) continue
      found.push({ group, before: parts.slice(0, start), inside, after: parts.slice(end) })
    }
  }
  return found
}

const depthOf = (texts: readonly string[]): number =>
  texts.filter(text => '([{'.includes(text)).length - texts.filter(text => ')]}'.includes(text)).length

const isClosedSoFar = (texts: readonly string[]): boolean =>
  texts.every((_, at) => depthOf(texts.slice(0, at + 1)) >= 0)

function varies(stretches: readonly Stretch[]): boolean {
  const insides = stretches.map(({ inside }) => inside.map(({ text }) => text))
  const around = [...stretches[0]!.before, ...stretches[0]!.after].map(({ text }) => text)
  const words = around.filter(text => !isDelimiter(text)).length
  const texts = around.filter(isText).length
  if (texts === 0) return false
  const hasPure = insides.some(inside => inside.length === 1 && isPure(inside[0]!))
  if (insides.every(inside => inside.length === 1)) {
    const values = new Set(insides.map(inside => inside[0]!))
    return hasPure || [...values].every(isMasked) || values.size > many(texts)
  }
  if (words < 2) return false
  const isWhole = ({ before, inside, after }: Stretch): boolean =>
    inside.length > 0 &&
    (before.at(-1)?.text ?? ' ') === ' ' &&
    (after[0]?.text ?? ' ') === ' ' &&
    inside.every(({ text }) => text !== ' ')
  if (hasPure && stretches.every(isWhole)) return true
  if (insides.some(inside => inside.length > 0 && !inside.some(isMasked))) return false
  if (insides.some(inside => inside.filter(isText).length > (hasPure ? 1 : 0))) return false
  const isAlike = (of: (inside: readonly string[]) => string): boolean => new Set(insides.map(of)).size === 1
  if (!insides.some(inside => inside.length === 0) && (isAlike(i => i[0]!) || isAlike(i => i.at(-1)!))) return false
  const least = Math.min(...insides.map(inside => inside.filter(text => !isDelimiter(text)).length))
  return words >= 0.75 * (words + Math.max(1, least))
}

function replaced(stretches: readonly Stretch[]): Group {
  const isColumn = stretches.every(({ inside }) => inside.length === 1)
  const anything: Part = { text: '\x01', slots: [WORDS], words: [''] }
  const before = [...together(stretches.map(({ group, before: parts }) => ({ parts, lines: group.lines }))).parts]
  const after = [...together(stretches.map(({ group, after: parts }) => ({ parts, lines: group.lines }))).parts]
  let middle = isColumn ? joined(stretches.map(({ inside }) => inside[0]!)) : anything
  if (!isColumn) {
    // Two things that vary side by side are one.
    if (before.length > 0 && isPure(before.at(-1)!.text)) middle = before.pop() === undefined ? middle : anything
    if (after.length > 0 && isPure(after[0]!.text)) middle = after.shift() === undefined ? middle : anything
  }
  return { parts: [...before, middle, ...after], lines: stretches.flatMap(({ group }) => group.lines) }
}

// Shown.

function shown({ text, slots, words }: Part): string {
  let slot = 0
  const filled = text.replaceAll('\x01', () => showSlot(slots[slot++]!)).replaceAll('\x02', '…')
  if (text !== '\x01') return filled
  const [first] = words
  const alike = (length: number): boolean => words.every(word => word.startsWith(first!.slice(0, length)))
  const alikeAtEnd = (length: number): boolean =>
    words.every(word => word.endsWith(first!.slice(first!.length - length)))
  const lengths = Array.from({ length: first!.length + 1 }, (_, n) => n)
  const start = first!.slice(0, lengths.filter(alike).at(-1)).split(/[\x01\x02]/)[0]!
  const end = first!
    .slice(first!.length - lengths.filter(alikeAtEnd).at(-1)!)
    .split(/[\x01\x02]/)
    .at(-1)!
  const prefix = start.replace(/[\p{L}\p{N}]*$/u, '')
  const suffix = end.replace(/^[\p{L}\p{N}]*/u, '')
  const shortest = Math.min(...words.map(word => word.length))
  return prefix.length + suffix.length > shortest ? prefix + filled : prefix + filled + suffix
}
