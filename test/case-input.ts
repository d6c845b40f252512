/** What a case gives: its query, its events, its options. No engine here, so that the reference can be tested alone. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { QueryOptions } from '../engine.ts'
import type { WholeThread } from '../runtime/parallel/elsewhere.ts'
import type { Lanes } from '../runtime/parallel/lanes.ts'
import type { IncomingEvent } from '../storage/index.ts'
import { createEventReader, TIMESTAMP_FIELDS } from '../storage/ingest/read-event.ts'
import { DateTime, type Value } from '../storage/value.ts'
import { parseCaseFile, sectionOf, type TestCase } from './case-file.ts'
import { repositoryRoot } from './repository.ts'
import { parseRow } from './rows.ts'

/** 2026-06-15T12:00:00Z: the time of events that state none, and `now()` of every case. */
export const NOW = new DateTime(Date.UTC(2026, 5, 15, 12) * 1000)

export interface RunOptions extends QueryOptions {
  readonly blockRows?: number
  /** From how many rows on a query over all time gets a hint. */
  readonly muchDataRows?: number
  /** `disk`: in a directory made for the run and flushed, so that blocks have all they have in earnest. */
  readonly store?: 'memory' | 'disk'
  /** A directory makes the store one on disk; memory otherwise. */
  readonly directory?: string | null
  /** Flush after every so many events, so that the data lies in several parts; needs a directory. */
  readonly eventsPerPart?: number
  /** Threads to share aggregations with; needs a directory. */
  readonly lanes?: Lanes
  /** What runs aggregations instead of the engine. */
  readonly whole?: WholeThread
  /** The same as files; made of `lookups`. */
  readonly lookupPaths?: Readonly<Record<string, string>>
  /** Lookup tables by name, as CSV. */
  readonly lookups?: Readonly<Record<string, string>>
  /** Saved stages by name. */
  readonly fragments?: Readonly<Record<string, string>>
}

export function loadCases(file: string): TestCase[] {
  return parseCaseFile(relative(repositoryRoot(), file), readFileSync(file, 'utf8'))
}

export function queryOf(test: TestCase): string {
  const section = sectionOf(test, 'query')
  if (section === undefined) throw new Error(`${where(test)}: no query section`)
  return section.body
}

export function eventsOf(test: TestCase): IncomingEvent[] {
  const inputs = test.sections.filter(section => section.name === 'input')
  return readEvents(inputs.map(({ argument, body }) => ({ index: argument === '' ? 'main' : argument, text: body })))
}

/** `-- options` has one `name: value` a line: without, block rows, from, to, variables (JSON), store (disk). */
export function optionsOf(test: TestCase): RunOptions {
  const lines = (sectionOf(test, 'options')?.body ?? '').split('\n').filter(line => line.trim() !== '')
  const options: { -readonly [K in keyof RunOptions]: RunOptions[K] } = {}
  const tables = test.sections.filter(section => section.name === 'lookup')
  const fragments = test.sections.filter(section => section.name === 'fragment')
  if (fragments.length > 0) {
    options.fragments = Object.fromEntries(fragments.map(({ argument, body }) => [argument, body]))
  }
  if (tables.length > 0) options.lookups = Object.fromEntries(tables.map(({ argument, body }) => [argument, body]))
  for (const line of lines) {
    const [, name = '', value = ''] = /^([a-z ]+): *(.*)$/.exec(line) ?? []
    switch (name) {
      case 'without':
        options.without = value.split(/, */)
        break
      case 'block rows':
        options.blockRows = Number(value)
        break
      case 'store':
        options.store = value === 'disk' ? 'disk' : 'memory'
        break
      case 'much data':
        options.muchDataRows = Number(value)
        break
      case 'from':
        options.from = value
        break
      case 'to':
        options.to = value
        break
      case 'variables':
        options.variables = Object.fromEntries(parseRow(value)) as Record<string, Value>
        break
      default:
        throw new Error(`${where(test)}: unknown option '${line}'`)
    }
  }
  return options
}

export function where(test: TestCase): string {
  return `${test.file}:${test.line}`
}

export interface InputText {
  readonly index: string
  readonly text: string
}

/** Lines as the ingest routes read them: JSON when a line is a JSON object, else text. */
export function readEvents(inputs: readonly InputText[]): IncomingEvent[] {
  const reader = createEventReader()
  return inputs.flatMap(({ index, text }) =>
    text
      .split('\n')
      .filter(line => line !== '')
      .map(line => {
        const result = reader.fromLine(line, {
          index,
          source: null,
          sourcetype: null,
          host: null,
          receivedAt: NOW,
          timestampFields: TIMESTAMP_FIELDS,
        })
        if ('problem' in result) throw new Error(`input line cannot be read: ${result.problem.message}: ${line}`)
        return result.event
      }),
  )
}
