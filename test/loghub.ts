/** The sixteen loghub files and our labelling of them (test/fixtures/loghub-labels/README.md); null where they are not on the machine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './repository.ts'

export interface LabelledLine {
  readonly line: string
  /** What is behind the header. */
  readonly content: string
  readonly label: string
}

const LABELS = join(repositoryRoot(), 'test/fixtures/loghub-labels')
const LOGS = process.env.LOGHUB ?? '/work/shared/data/loghub'

export const LOGHUB_NAMES: readonly string[] = readdirSync(LABELS)
  .filter(name => name.endsWith('.labels'))
  .map(name => name.slice(0, -'.labels'.length))
  .sort()

export function readLoghub(name: string): LabelledLine[] | null {
  const path = join(LOGS, `${name}_2k.log`)
  if (!existsSync(path)) return null
  const label = readRules(readFileSync(join(LABELS, `${name}.labels`), 'utf8'))
  const lines = readFileSync(path, 'utf8').split(/\r?\n/)
  return lines.filter(line => line !== '').map(label)
}

/** `content <regex>` finds what is behind the header; `<regex> => <text>` rewrites it, each in turn, until lines of one event are equal. */
function readRules(text: string): (line: string) => LabelledLine {
  const rules: [RegExp, string][] = []
  let content = /^(.*)$/
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# ')) continue
    const [pattern, replacement] = line.split(' => ')
    if (line.startsWith('content ')) content = new RegExp(line.slice('content '.length))
    else rules.push([new RegExp(pattern!, 'g'), replacement ?? ''])
  }
  return line => {
    const found = content.exec(line)
    if (found === null) throw new Error(`no content in: ${line}`)
    const behind = found[1]!
    const label = rules.reduce((rewritten, [pattern, replacement]) => rewritten.replace(pattern, replacement), behind)
    return { line, content: behind, label: label.replace(/\s+/g, ' ').trim() }
  }
}

/** The share of lines whose group holds exactly the lines of their label: grouping accuracy, as the field defines it. */
export function groupingAccuracy(groups: readonly number[], labels: readonly string[]): number {
  const groupSizes = new Map<number, number>()
  const labelSizes = new Map<string, number>()
  const pairSizes = new Map<string, number>()
  const count = <K>(sizes: Map<K, number>, key: K): void => void sizes.set(key, (sizes.get(key) ?? 0) + 1)
  for (const [index, label] of labels.entries()) {
    count(groupSizes, groups[index]!)
    count(labelSizes, label)
    count(pairSizes, `${groups[index]} ${label}`)
  }
  const right = labels.filter((label, index) => {
    const group = groups[index]!
    const size = pairSizes.get(`${group} ${label}`)
    return size === groupSizes.get(group) && size === labelSizes.get(label)
  })
  return right.length / labels.length
}
