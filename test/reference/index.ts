/** The reference interpreter with the language's functions: a query's text and events in, rows out. */
import { desugar, parse } from '../../grammar/index.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import type { DateTime, Value } from '../../storage/value.ts'
import { type Interpreted, interpret } from './interpreter.ts'
import { scalarsAt } from './scalars.ts'

export interface ReferenceOptions {
  readonly now: DateTime
  readonly variables?: Readonly<Record<string, Value>>
}

export function askReference(text: string, events: readonly IncomingEvent[], options: ReferenceOptions): Interpreted {
  const { query, diagnostics } = parse(text)
  const [problem] = diagnostics
  if (problem !== undefined) throw new Error(`${problem.code}: ${problem.message}`)
  return interpret(desugar(query).query, events, {
    nowMicros: options.now.micros,
    variables: options.variables ?? {},
    callScalar: scalarsAt(options.now.micros),
  })
}
