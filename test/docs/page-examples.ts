/**
 * The examples of a Markdown page. A fenced block marked `quern` is a query; the blocks after it say what to do with it:
 *
 *     ```quern            the query
 *     ```input            events, one a line; `input app` puts them into the index `app`; several may follow each other
 *     ```lookup users     a lookup table, as CSV; `fragment slow` stages that were saved
 *     ```output           the rows, in order; of events, `_time`, `_raw` and `index` only where a line names them
 *     ```error            instead of output: the frames of the diagnostics
 *     ```same             instead of output: another query, that gives the same rows over the same input
 *     ```explain          instead of output: what `quern explain --js` prints, from the plan on
 *
 * A query without an input takes the one of the example before it. A `quern` block without any of these is an error.
 */
import { CompileError } from '../../engine.ts'
import { renderDiagnostic } from '../../grammar/index.ts'
import type { InputText } from '../case-input.ts'
import { explainQuery, type Given, runQuery, sameLines } from './run-example.ts'

export interface PageExample {
  readonly line: number
  readonly query: string
  readonly input: readonly InputText[]
  readonly given?: Given
  readonly expected: { readonly kind: 'output' | 'error' | 'same' | 'explain'; readonly text: string }
}

const BLOCK = /^```(quern|input|lookup|fragment|output|error|same|explain)(?: +(\S+))?\n([\s\S]*?)^```$/gm

/** @throws when a query stands without what it gives, naming the line. */
export function pageExamples(page: string): PageExample[] {
  const examples: PageExample[] = []
  let query: { readonly text: string; readonly line: number } | null = null
  let input: InputText[] = []
  let given: { lookups?: Record<string, string>; fragments?: Record<string, string> } = {}
  let isInputNew = true
  for (const match of page.matchAll(BLOCK)) {
    const [, kind = '', index, body = ''] = match
    const line = page.slice(0, match.index).split('\n').length
    const text = body.replace(/\n$/, '')
    if (kind === 'quern') {
      if (query !== null) throw new Error(`line ${query.line}: the query has no output`)
      query = { text, line }
      given = {}
      isInputNew = true
    } else if (kind === 'input') {
      if (isInputNew) input = []
      isInputNew = false
      input.push({ index: index ?? 'main', text })
    } else if (kind === 'lookup') {
      given = { ...given, lookups: { ...given.lookups, [index ?? '']: text } }
    } else if (kind === 'fragment') {
      given = { ...given, fragments: { ...given.fragments, [index ?? '']: text } }
    } else {
      if (query === null) throw new Error(`line ${line}: ${kind} of no query`)
      examples.push({
        line: query.line,
        query: query.text,
        input,
        ...(Object.keys(given).length > 0 && { given }),
        expected: { kind: kind as PageExample['expected']['kind'], text },
      })
      query = null
    }
  }
  if (query !== null) throw new Error(`line ${query.line}: the query has no output`)
  return examples
}

/** What is wrong with the example, or null. */
export async function problemOf({ query, input, given, expected }: PageExample): Promise<string | null> {
  if (expected.kind === 'explain') {
    const text = await explainQuery(query, input)
    return text === expected.text ? null : text
  }
  let actual: string
  try {
    actual = await runQuery(query, input, expected.text, given)
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    const frames = error.diagnostics.map(each => renderDiagnostic(error.source, each)).join('\n')
    return expected.kind === 'error' && frames === expected.text.trimEnd() ? null : frames
  }
  if (expected.kind === 'error') return `no error, but:\n${actual}`
  if (expected.kind === 'output') return sameLines(actual, expected.text) ? null : actual
  const other = await runQuery(expected.text, input, '', given)
  return sameLines(actual, other) ? null : `${actual}\nis not\n${other}`
}
