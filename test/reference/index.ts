/** The reference interpreter with the language's functions: a query's text and events in, rows out. */
import { desugar, expandFragments, parse } from '../../grammar/index.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import type { DateTime, Value } from '../../storage/value.ts'
import { type Interpreted, interpret, type ReferenceTable } from './interpreter.ts'
import { scalarsAt } from './scalars.ts'

export interface ReferenceOptions {
  readonly now: DateTime
  readonly variables?: Readonly<Record<string, Value>>
  /** Lookup tables by name, as CSV. */
  readonly lookups?: Readonly<Record<string, string>>
  /** Saved stages by name. */
  readonly fragments?: Readonly<Record<string, string>>
}

export function askReference(text: string, events: readonly IncomingEvent[], options: ReferenceOptions): Interpreted {
  const { query, diagnostics } = parse(text)
  const [problem] = diagnostics
  if (problem !== undefined) throw new Error(`${problem.code}: ${problem.message}`)
  const { fragments = {} } = options
  const saved = { names: Object.keys(fragments), text: (name: string) => fragments[name] ?? null }
  return interpret(desugar(expandFragments(query, saved).query).query, events, {
    nowMicros: options.now.micros,
    variables: options.variables ?? {},
    callScalar: scalarsAt(options.now.micros),
    lookups: Object.fromEntries(Object.entries(options.lookups ?? {}).map(([name, text]) => [name, tableOf(text)])),
  })
}

/** Cells without quotes around them are enough for tests. */
function tableOf(text: string): ReferenceTable {
  const [columns = [], ...lines] = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split(','))
  const rows = lines.map(cells => {
    const filled = cells.map((cell, i) => [columns[i]!, cell] as const).filter(([, cell]) => cell !== '')
    return new Map(filled.map(([name, cell]) => [name, String(Number(cell)) === cell ? Number(cell) : cell]))
  })
  return { columns, rows }
}
