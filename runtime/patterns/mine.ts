/**
 * Templates from signatures and their counts: split from the top down by shape and words, then folded from the bottom up. A function of
 * the set of signatures, whatever order, blocks or parts they came in.
 */
import { type Cell, DELIMITER, Vocabulary } from './cells.ts'
import { fold } from './fold.ts'
import { showSlot } from './kinds.ts'
import { type Draft, split } from './split.ts'

export interface Signature {
  /** The masked line, as `Masker` writes it. */
  readonly text: string
  readonly slots: readonly number[]
  /** Lines. */
  readonly count: number
}

export interface Template {
  readonly pattern: string
  /** Positions in the signatures it was mined from. */
  readonly members: readonly number[]
}

export function mine(signatures: readonly Signature[]): Template[] {
  const words = new Vocabulary()
  const shapes = new Map<string, Draft[]>()
  const order = [...signatures.keys()].sort((a, b) => (signatures[a]!.text < signatures[b]!.text ? -1 : 1))
  for (const index of order) {
    const { text, slots, count } = signatures[index]!
    const draft = { cells: words.cellsOf(text, slots), members: [index], count }
    const shape = draft.cells.map(cell => (words.is(cell, DELIMITER) ? words.texts[cell.token] : 'w')).join('')
    const group = shapes.get(shape)
    if (group === undefined) shapes.set(shape, [draft])
    else group.push(draft)
  }
  const drafts: Draft[] = []
  for (const group of shapes.values()) split(group, words, drafts)
  // Templates that read the same are the same to whoever reads them.
  const byPattern = new Map<string, number[]>()
  for (const { cells, members } of fold(drafts, words)) {
    const pattern = show(cells, words)
    const same = byPattern.get(pattern)
    if (same === undefined) byPattern.set(pattern, [...members])
    else same.push(...members)
  }
  return [...byPattern].map(([pattern, members]) => ({ pattern, members }))
}

function show(cells: readonly Cell[], words: Vocabulary): string {
  let shown = ''
  for (const [at, cell] of cells.entries()) {
    // Only an optional part stands beside a word without anything between.
    if (at > 0 && !words.is(cell, DELIMITER) && !words.is(cells[at - 1]!, DELIMITER)) shown += ' '
    shown += showCell(cell, words.texts[cell.token]!)
  }
  return shown
}

function showCell(cell: Cell, text: string): string {
  let slot = 0
  let shown = ''
  for (const letter of text) {
    if (letter === '\x01') shown += showSlot(cell.slots[slot++]!)
    else shown += letter === '\x02' ? '…' : letter
  }
  if (text !== '\x01') return shown
  const prefix = wordsBefore(cell.prefix)
  const suffix = wordsAfter(cell.suffix)
  return prefix.length + suffix.length > cell.shortest ? prefix + shown : prefix + shown + suffix
}

/** Up to the last delimiter before anything masked: half a word would be misread. */
function wordsBefore(prefix: string): string {
  const plain = prefix.split(/[\x01\x02]/)[0]!
  return /^.*[^\p{L}\p{N}]/su.exec(plain)?.[0] ?? ''
}

function wordsAfter(suffix: string): string {
  const plain = suffix.split(/[\x01\x02]/).at(-1)!
  return /[^\p{L}\p{N}].*$/su.exec(plain)?.[0] ?? ''
}
