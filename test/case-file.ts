/**
 * The one file format of the tests: `# title` begins a case, `-- section` a section of it. Sections are optional, a case
 * without any is an error. A line of text that would look like either is written with a backslash before it.
 */
export interface CaseSection {
  readonly name: string
  /** What follows the name on its line: `-- input app` is of index `app`. */
  readonly argument: string
  body: string
}

export interface TestCase {
  readonly file: string
  readonly line: number
  readonly title: string
  readonly sections: CaseSection[]
}

const SECTION = /^-- ([a-z]+)(?: +(.*?))?\s*$/
const TITLE = /^# (.+?)\s*$/

/** @throws when the text is not in the format, naming file and line. */
export function parseCaseFile(file: string, text: string): TestCase[] {
  const cases: TestCase[] = []
  let lines: string[] = []
  const endSection = (): void => {
    const section = cases.at(-1)?.sections.at(-1)
    if (section !== undefined) section.body = trimBlankLines(lines).map(unescapeLine).join('\n')
    else if (lines.some(line => line.trim() !== '')) throw new Error(`${file}: text before the first section`)
    lines = []
  }
  for (const [i, line] of text.split('\n').entries()) {
    const title = TITLE.exec(line)
    const section = SECTION.exec(line)
    if (title === null && section === null) {
      lines.push(line)
      continue
    }
    endSection()
    const current = cases.at(-1)
    if (title !== null) cases.push({ file, line: i + 1, title: title[1] as string, sections: [] })
    else if (current === undefined) throw new Error(`${file}:${i + 1}: a section before the first title`)
    else current.sections.push({ name: section?.[1] as string, argument: section?.[2] ?? '', body: '' })
  }
  endSection()
  if (cases.length === 0) throw new Error(`${file}: no case begins with '# title'`)
  for (const each of cases) {
    if (each.sections.length === 0) throw new Error(`${file}:${each.line}: the case has no sections`)
  }
  return cases
}

export function printCaseFile(cases: readonly TestCase[]): string {
  return cases.map(printCase).join('\n')
}

function printCase({ title, sections }: TestCase): string {
  const parts = sections.map(({ name, argument, body }) => {
    const head = argument === '' ? `-- ${name}` : `-- ${name} ${argument}`
    return body === '' ? `${head}\n` : `${head}\n${body.split('\n').map(escapeLine).join('\n')}\n`
  })
  return `# ${title}\n${parts.join('\n')}`
}

function escapeLine(line: string): string {
  return TITLE.test(line) || SECTION.test(line) || line.startsWith('\\') ? `\\${line}` : line
}

function unescapeLine(line: string): string {
  return line.startsWith('\\') ? line.slice(1) : line
}

function trimBlankLines(lines: readonly string[]): string[] {
  let start = 0
  let end = lines.length
  while (start < end && lines[start]?.trim() === '') start++
  while (end > start && lines[end - 1]?.trim() === '') end--
  return lines.slice(start, end)
}

export function sectionOf(test: TestCase, name: string): CaseSection | undefined {
  return test.sections.find(section => section.name === name)
}
