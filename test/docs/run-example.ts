/** What the documentation shows is run here: NDJSON lines in, NDJSON lines out, through the whole engine. */
import { open } from '../../engine.ts'
import { desugar, expandFragments, parse, print } from '../../grammar/index.ts'
import { jsonKeys, objectToJson } from '../../runtime/output/json.ts'
import { type InputText, NOW, readEvents } from '../case-input.ts'
import { withLookups } from '../harness.ts'

/** A query, the lines it runs over, the lines it gives. */
export interface QueryExample {
  readonly query: string
  readonly input: string
  /** Lookup tables by name, as CSV. */
  readonly lookups?: Readonly<Record<string, string>>
  /** Saved stages by name. */
  readonly fragments?: Readonly<Record<string, string>>
  readonly output: string
}

/** What an engine is given besides events. */
export type Given = Pick<QueryExample, 'lookups' | 'fragments'>

/**
 * The rows as JSON lines, in the order the engine gave them. Of events, `_time` and `_raw` are shown only when the expectation
 * names them: every event has both, and every example would repeat them.
 */
export async function runQuery(
  query: string,
  input: string | readonly InputText[],
  expected: string,
  { lookups = {}, fragments = {} }: Given = {},
): Promise<string> {
  return await withLookups(lookups, paths => runWith(query, input, expected, { lookups: paths, fragments }))
}

/** What examples write is not kept. */
const nowhere = () => ({ write: () => {}, close: () => {} })

async function runWith(
  query: string,
  input: string | readonly InputText[],
  expected: string,
  given: Required<Given>,
): Promise<string> {
  const engine = await open(null, given)
  try {
    engine.ingest(readEvents(typeof input === 'string' ? [{ index: 'main', text: input }] : input))
    const { columns, rows, shape } = await engine.query(query, { now: NOW, openFile: nowhere }).collect()
    const shown = columns
      .map((name, index) => ({ name, index }))
      .filter(({ name }) => shape.kind !== 'events' || !EVERYWHERE.includes(name) || expected.includes(`"${name}"`))
    const keys = jsonKeys(shown.map(column => column.name))
    return rows
      .map(row =>
        objectToJson(
          keys,
          shown.map(column => row[column.index]),
        ),
      )
      .join('\n')
  } finally {
    await engine.close()
  }
}

const EVERYWHERE: readonly string[] = ['_time', '_raw', 'index']

/** The plan and the kernels, as `quern explain --js` prints them. */
export async function explainQuery(query: string, input: readonly InputText[]): Promise<string> {
  const engine = await open(null)
  try {
    engine.ingest(readEvents(input))
    const explanation = await engine.explain(query, { now: NOW, js: true })
    const kernels = (explanation.js ?? []) as readonly { readonly kernel: string; readonly source: string }[]
    return [explanation.text ?? '', ...kernels.map(({ kernel, source }) => `── ${kernel}\n${source.trimEnd()}`)].join(
      '\n\n',
    )
  } finally {
    await engine.close()
  }
}

/** `upper("a")` → `"A"`: the expression over one empty event. */
export async function runExpression(expression: string): Promise<string> {
  const line = await runQuery(`extend r = ${expression} | keep r`, '{}', '')
  return /^\{"r":(.*)\}$/s.exec(line)?.[1] ?? line
}

/** The same rows in the same order, whatever the order of their members. */
export function sameLines(actual: string, expected: string): boolean {
  return canonical(actual) === canonical(expected)
}

function canonical(lines: string): string {
  return lines
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.stringify(sorted(JSON.parse(line))))
    .join('\n')
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

/** The query without its short forms. */
export function expansionOf(query: string, fragments: Readonly<Record<string, string>> = {}): string {
  const saved = { names: Object.keys(fragments), text: (name: string) => fragments[name] ?? null }
  return print(desugar(expandFragments(parse(query).query, saved).query).query)
}
