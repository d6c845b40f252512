/** `npm run bench -- --patterns`: how well patterns group the loghub files, and how fast lines are masked. */
import { mine } from '../../runtime/patterns/mine.ts'
import { SignatureTable } from '../../runtime/patterns/signatures.ts'
import { groupingAccuracy, LOGHUB_NAMES, readLoghub } from '../loghub.ts'

export interface Mined {
  readonly signatures: number
  readonly templates: readonly string[]
  /** Of each line, its template. */
  readonly groups: readonly number[]
}

/** The templates of some lines, and which each belongs to. */
export function mineLines(lines: readonly string[]): Mined {
  const table = new SignatureTable()
  const signatureOf = lines.map(line => {
    const bytes = Buffer.from(line)
    return table.add(bytes, 0, bytes.length, Number.NaN, 0)
  })
  const entries = table.entries()
  const templates = mine(entries)
  const templateOf: number[] = []
  for (const [index, template] of templates.entries()) for (const member of template.members) templateOf[member] = index
  return {
    signatures: entries.length,
    templates: templates.map(template => template.pattern),
    groups: signatureOf.map(signature => templateOf[signature]!),
  }
}

/** Repeats the lines of a file until they are this many, and counts their signatures. */
function linesPerSecond(lines: readonly string[], rows: number): number {
  const encoded = lines.map(line => Buffer.from(line))
  const starts: number[] = []
  let length = 0
  for (const line of encoded) {
    starts.push(length)
    length += line.length
  }
  starts.push(length)
  const bytes = new Uint8Array(Buffer.concat(encoded))
  const table = new SignatureTable()
  const start = process.cpuUsage()
  for (let row = 0; row < rows; row++) {
    const line = row % lines.length
    table.add(bytes, starts[line]!, starts[line + 1]!, row, 0)
  }
  mine(table.entries())
  // Of processor time, not of the clock: other work on the machine does not count.
  const { user, system } = process.cpuUsage(start)
  return (rows / (user + system)) * 1e6
}

export function runPatterns(rows: number, only: string, say: (text: string) => void): void {
  say('file          labels  patterns  accuracy   on raw lines    k lines/s   MB/s')
  const accuracies: number[] = []
  const rawAccuracies: number[] = []
  for (const name of LOGHUB_NAMES.filter(name => name.toLowerCase().includes(only))) {
    const labelled = readLoghub(name)
    if (labelled === null) {
      say(`${name.padEnd(12)} is not on this machine: set LOGHUB to the directory of the *_2k.log files`)
      continue
    }
    const labels = labelled.map(({ label }) => label)
    const mined = mineLines(labelled.map(({ content }) => content))
    const raw = mineLines(labelled.map(({ line }) => line))
    const accuracy = groupingAccuracy(mined.groups, labels)
    const rawAccuracy = groupingAccuracy(raw.groups, labels)
    accuracies.push(accuracy)
    rawAccuracies.push(rawAccuracy)
    const speed = linesPerSecond(
      labelled.map(({ line }) => line),
      rows,
    )
    const bytes = labelled.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0) / labelled.length
    say(
      `${name.padEnd(12)}${String(new Set(labels).size).padStart(8)}${String(mined.templates.length).padStart(10)}${accuracy
        .toFixed(3)
        .padStart(10)}${rawAccuracy.toFixed(3).padStart(15)}${(speed / 1000).toFixed(0).padStart(13)}${(
        (speed * bytes) /
        1e6
      )
        .toFixed(0)
        .padStart(7)}`,
    )
  }
  const mean = (of: readonly number[]): string => (of.reduce((sum, one) => sum + one, 0) / of.length).toFixed(4)
  say(`mean                       ${mean(accuracies).padStart(13)}${mean(rawAccuracies).padStart(15)}`)
}
