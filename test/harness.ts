/** An engine with a case's input in it, and its answers as named rows. Shared by the case runner, the ladder and the fuzzer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, open, QueryMemoryError, type QueryOptions } from '../engine.ts'
import { takenBack } from '../runtime/helpers/lent.ts'
import type { Profile } from '../runtime/profile.ts'
import type { IncomingEvent } from '../storage/index.ts'
import type { Value } from '../storage/value.ts'
import { NOW, type RunOptions } from './case-input.ts'
import type { NamedRow } from './rows.ts'

// Whoever holds memory that serves another batch or query by now is found out.
takenBack.isOverwritten = true

export interface Answer {
  readonly kind: 'events' | 'aggregate' | 'timechart'
  readonly columns: readonly string[]
  readonly rows: readonly NamedRow[]
  readonly profile: Profile
  readonly hints: readonly { readonly code: string; readonly message: string }[]
}

export async function withEngine<T>(
  events: readonly IncomingEvent[],
  options: RunOptions,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  if (options.store === 'disk' && options.directory === undefined) {
    const directory = mkdtempSync(join(tmpdir(), 'quern-case-'))
    try {
      return await withEngine(events, { ...options, directory }, use)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  if (options.lookups !== undefined) {
    const { lookups, ...rest } = options
    return await withLookups(lookups, paths => withEngine(events, { ...rest, lookupPaths: paths }, use))
  }
  const directory = options.directory ?? null
  const engine = await open(directory, {
    ...(options.lookupPaths !== undefined && { lookups: options.lookupPaths }),
    ...(options.fragments !== undefined && { fragments: options.fragments }),
    ...(options.blockRows !== undefined && { blockRows: options.blockRows }),
    ...(options.muchDataRows !== undefined && { muchDataRows: options.muchDataRows }),
    ...(options.lanes !== undefined && { lanes: options.lanes }),
    ...(options.whole !== undefined && { whole: options.whole, elsewhere: 'always' }),
    ...(directory !== null && { fsync: false, flushAgeMs: 3_600_000 }),
  })
  try {
    const size = options.eventsPerPart ?? Math.max(1, events.length)
    for (let at = 0; at < events.length; at += size) {
      engine.ingest(events.slice(at, at + size))
      if (directory !== null) await engine.flush()
    }
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** Tables as files, by name, for as long as they are used. */
export async function withLookups<T>(
  lookups: Readonly<Record<string, string>>,
  use: (paths: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'quern-lookups-'))
  try {
    const paths = Object.entries(lookups).map(([name, text], index) => {
      const path = join(directory, `${index}.csv`)
      writeFileSync(path, text)
      return [name, path] as const
    })
    return await use(Object.fromEntries(paths))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export async function answer(
  text: string,
  events: readonly IncomingEvent[],
  options: RunOptions = {},
): Promise<Answer> {
  return await withEngine(events, options, engine => ask(engine, text, options))
}

/**
 * With so little memory that whatever can be written to disk is: `memoryBytes` to begin with. What a stage must hold for itself it is
 * given, little by little.
 */
export async function answerInLittleMemory(
  text: string,
  events: readonly IncomingEvent[],
  options: RunOptions & { readonly memoryBytes: number },
): Promise<Answer> {
  return await withEngine(events, options, async engine => {
    for (let { memoryBytes } = options; ; memoryBytes *= 8) {
      try {
        return await ask(engine, text, { ...options, memoryBytes })
      } catch (error) {
        if (!(error instanceof QueryMemoryError)) throw error
      }
    }
  })
}

export async function ask(engine: Engine, text: string, options: QueryOptions): Promise<Answer> {
  const run = engine.query(text, queryOptions(options))
  const collected = await run.collect({ limit: 100_000 })
  return {
    kind: collected.shape.kind,
    columns: collected.columns,
    rows: collected.rows.map(row => namedRow(collected.columns, row)),
    profile: run.profile,
    hints: run.hints,
  }
}

export function queryOptions(options: QueryOptions): QueryOptions {
  return {
    now: options.now ?? NOW,
    ...(options.from !== undefined && { from: options.from }),
    ...(options.to !== undefined && { to: options.to }),
    ...(options.variables !== undefined && { variables: options.variables }),
    ...(options.without !== undefined && { without: options.without }),
    ...(options.memoryBytes !== undefined && { memoryBytes: options.memoryBytes }),
  }
}

function namedRow(columns: readonly string[], row: readonly Value[]): NamedRow {
  return new Map(columns.map((name, i) => [name, row[i]] as const).filter(([, value]) => value !== undefined))
}

/** Names of all optimiser rules: a trace has an entry for each, whether it applied or not. */
export async function ruleNames(engine: Engine): Promise<string[]> {
  const { passes } = await engine.explain('from main | where a == 1', { passes: true })
  const names = (passes as readonly { readonly name: string }[]).map(pass => pass.name)
  return [...new Set(names.filter(name => name.startsWith('optimise/')).map(name => name.slice('optimise/'.length)))]
}
