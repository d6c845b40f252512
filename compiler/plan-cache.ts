/**
 * The same query of the same schema is compiled once. A plan is kept with everything that compiling it asked of the world (the catalog,
 * lookup tables, saved stages) and the answers; it serves again while every one of those questions has the same answer. So there is
 * nothing to be told of changes and nothing that could be forgotten: what compiling never asked cannot have mattered to it. A plan whose
 * making looked at the clock (`now()`, `[-1h]`) is of its instant and is not kept.
 */
import type { Fragments } from '../grammar/index.ts'
import { Lru } from '../runtime/helpers/lru.ts'
import { DateTime, Duration, type Value } from '../storage/value.ts'
import type { Catalog } from './catalog.ts'
import { compile } from './index.ts'
import type { Compiled, CompileOptions } from './types.ts'

/** Plans kept: the panels of many dashboards. Each is some tens of kilobytes. */
const PLANS_MAX = 256

export interface PlanCacheStatus {
  /** Plans held, of at most `max`. */
  readonly size: number
  readonly max: number
  readonly hits: number
  /** Compiled: unknown, or the answer to something it had asked was another. */
  readonly misses: number
  /** Of those, plans that were there and did not fit any more. */
  readonly stale: number
}

export interface Planned {
  readonly compiled: Compiled
  /** Did it come from the cache? */
  readonly cached: boolean
}

type World = Pick<CompileOptions, 'catalog' | 'fragments'>

interface Question {
  /** Of the parts: it has the same answer while they are the same parts. */
  readonly isOfParts: boolean
  ask(world: World): unknown
  readonly answer: string
}

interface Kept {
  readonly compiled: Compiled
  readonly questions: ReadonlyMap<string, Question>
  /** Of the catalog that last gave these answers. */
  version: string | null
}

export class PlanCache {
  readonly #plans: Lru<string, { kept: Kept | null }>
  #hits = 0
  #misses = 0
  #stale = 0

  constructor(max = PLANS_MAX) {
    this.#plans = new Lru(max)
  }

  get status(): PlanCacheStatus {
    const { size, max } = this.#plans
    return { size, max, hits: this.#hits, misses: this.#misses, stale: this.#stale }
  }

  /** As `compile`. @throws {CompileError} */
  compile(text: string, options: CompileOptions): Planned {
    // A registry of functions is code: nothing to hold two of them against each other by.
    if (options.functions !== undefined) return { compiled: compile(text, options), cached: false }
    const slot = this.#plans.getOrMake(keyOf(text, options), () => ({ kept: null }))
    if (slot.kept !== null && stillHolds(slot.kept, options)) {
      this.#hits++
      return { compiled: slot.kept.compiled, cached: true }
    }
    this.#misses++
    if (slot.kept !== null) this.#stale++
    slot.kept = null
    const witness = new Witness(options)
    const compiled = compile(text, witness.options)
    if (!witness.sawClock) {
      slot.kept = { compiled, questions: witness.questions, version: options.catalog.version ?? null }
    }
    return { compiled, cached: false }
  }
}

/** Every question is asked again whose answer may be another; asking about a lookup table also holds it for the run. */
function stillHolds(kept: Kept, world: World): boolean {
  const version = world.catalog.version ?? null
  const isSameParts = version !== null && kept.version === version
  for (const { isOfParts, ask, answer } of kept.questions.values()) {
    if (isOfParts && isSameParts) continue
    if (textOf(ask(world)) !== answer) return false
  }
  kept.version = version
  return true
}

/** Options that take note of what is asked of them. */
class Witness {
  readonly questions = new Map<string, Question>()
  readonly options: CompileOptions
  sawClock = false

  constructor(options: CompileOptions) {
    const { now, fragments, catalog } = options
    this.#world = { catalog, ...(fragments && { fragments }) }
    this.options = {
      ...options,
      catalog: this.#catalog(catalog),
      ...(fragments && { fragments: this.#fragments() }),
      now: () => {
        this.sawClock = true
        return typeof now === 'function' ? now() : now
      },
    }
  }

  readonly #world: World

  #noted<T>(isOfParts: boolean, name: string, ask: (world: World) => T): T {
    const value = ask(this.#world)
    if (!this.questions.has(name)) this.questions.set(name, { isOfParts, ask, answer: textOf(value) })
    return value
  }

  /** Complete by type: a question nobody takes note of cannot be asked. */
  #catalog({ sampledEvents }: Catalog): Required<Omit<Catalog, 'sampledEvents' | 'version'>> {
    const witness = this
    const of = (name: string, ...about: readonly unknown[]): string => JSON.stringify([name, ...about])
    return {
      ...(sampledEvents !== undefined && { sampledEvents }),
      get indexes() {
        return witness.#noted(true, 'indexes', ({ catalog }) => catalog.indexes)
      },
      get sources() {
        return witness.#noted(true, 'sources', ({ catalog }) => catalog.sources)
      },
      fields: indexes => this.#noted(true, of('fields', indexes), ({ catalog }) => catalog.fields(indexes)),
      // What a catalog need not know is undefined, as it would be without this one in between.
      rowCount: indexes =>
        this.#noted(true, of('rowCount', indexes), ({ catalog }) => catalog.rowCount?.(indexes)) as number,
      hasRows: (indexes, rows) =>
        this.#noted(true, of('hasRows', indexes, rows), ({ catalog }) => catalog.hasRows?.(indexes, rows)) as boolean,
      statistics: (indexes, field) =>
        this.#noted(true, of('statistics', indexes, field), ({ catalog }) => catalog.statistics?.(indexes, field)) ??
        null,
      get lookups() {
        return witness.#noted(false, 'lookups', ({ catalog }) => catalog.lookups)
      },
      lookup: name => this.#noted(false, of('lookup', name), ({ catalog }) => catalog.lookup(name)),
    }
  }

  #fragments(): Fragments {
    const witness = this
    return {
      get names() {
        return witness.#noted(false, 'fragments', ({ fragments }) => fragments?.names ?? [])
      },
      text: name =>
        this.#noted(false, JSON.stringify(['fragment', name]), ({ fragments }) => fragments?.text(name) ?? null),
    }
  }
}

/** An answer of the catalog as text, in its own order: did-you-mean goes by it. */
function textOf(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (value instanceof Map ? [...value] : value)) ?? 'undefined'
}

/** All that compiling is told at once. What it asks for is the questions' part. */
function keyOf(text: string, options: CompileOptions): string {
  const { time, variables, without, muchDataRows, writesFiles, trace, sourceMaps } = options
  const told = [time, without, muchDataRows, writesFiles === true, trace === true, sourceMaps === true]
  return `${textOf(told)} ${variables === undefined ? '' : keyOfValue(variables)}\n${text}`
}

/** A value and its type: they are written into the plan. */
function keyOfValue(value: Value | Readonly<Record<string, Value>>): string {
  if (value instanceof DateTime) return `t${value.micros}.${value.nanos}`
  if (value instanceof Duration) return `d${value.ns}`
  if (Array.isArray(value)) return `[${value.map(keyOfValue).join(',')}]`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value === 'bigint') return `${value}n`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'missing'
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${keyOfValue(member)}`)
  return `{${members.join(',')}}`
}
