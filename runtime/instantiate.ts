/**
 * Kernel text becomes functions. `vm.compileFunction` rather than `new Function`: exact line numbers, names in CPU profiles, and
 * source maps that land on the query. Compiled factories are cached across queries by shapes and text: literals travel beside
 * the text, so `status >= 500` and `status >= 400` compile once.
 */
import { compileFunction } from 'node:vm'
import type { Vector } from '../storage/vector.ts'
import type { ColumnShape } from './batch.ts'
import type { Runtime } from './helpers/context.ts'
import type { KernelProfile, Profile } from './profile.ts'
import type { KernelMode, KernelSpec } from './program.ts'
import { shapeOf } from './shape.ts'
import type { Stopwatch } from './stopwatch.ts'

type Factory = (rt: Runtime, k: readonly unknown[]) => unknown

/** Factories kept: enough for a busy dashboard server; the oldest goes first. */
const FACTORIES_MAX = 1024
const factories = new Map<string, Factory>()
const cache = { hits: 0, misses: 0, evictions: 0 }

export interface KernelCacheStatus {
  /** Compiled kernels held, of at most `max`. */
  readonly size: number
  readonly max: number
  readonly hits: number
  readonly misses: number
  readonly evictions: number
}

/** Of this process: kernels are shared by all its engines. */
export function kernelCacheStatus(): KernelCacheStatus {
  return { size: factories.size, max: FACTORIES_MAX, ...cache }
}

function compileKernel(
  text: string,
  variant: string,
  filename: string,
  map: string | null,
): { factory: Factory; cached: boolean } {
  const key = `${variant}\n${text}`
  const known = factories.get(key)
  if (known !== undefined) {
    cache.hits++
    return { factory: known, cached: true }
  }
  cache.misses++
  const inline =
    map === null ? '' : `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`
  const factory = compileFunction(text + inline, ['rt', 'k'], { filename }) as Factory
  if (factories.size >= FACTORIES_MAX) {
    factories.delete(factories.keys().next().value as string)
    cache.evictions++
  }
  factories.set(key, factory)
  return { factory, cached: false }
}

export interface KernelContext {
  readonly runtime: Runtime
  readonly profile: Profile
  readonly stopwatch: Stopwatch
  /** `query/<hash>` */
  readonly directory: string
}

export interface Specialised<F> {
  readonly run: F
  readonly profile: KernelProfile
}

/** One kernel of one run: hands out the function for the shapes at hand. */
export class KernelRunner<F> {
  readonly spec: KernelSpec
  readonly #context: KernelContext
  readonly #byShape = new Map<string, Specialised<F>>()
  #lastShapes: readonly ColumnShape[] = []
  #lastVariant = ''
  #lastMode: KernelMode | null = null
  #last: Specialised<F> | null = null

  constructor(spec: KernelSpec, context: KernelContext) {
    this.spec = spec
    this.#context = context
  }

  /**
   * @param variant  whatever else the loop's speed depends on without changing its text, such as the widths of group codes:
   *                 V8 keeps one set of type feedback per compiled function
   */
  get(columns: readonly Vector[], mode: KernelMode, variant = ''): Specialised<F> {
    const last = this.#last
    const lastMode = this.#lastMode
    if (
      last !== null &&
      lastMode !== null &&
      lastMode.selected === mode.selected &&
      lastMode.exact === mode.exact &&
      this.#lastVariant === variant &&
      columns.every((column, index) => shapeOf(column) === this.#lastShapes[index])
    ) {
      return last
    }
    const shapes = columns.map(shapeOf)
    const key = `${mode.selected ? 's' : 'd'}${mode.exact ? 'x' : ''} ${shapes.map(s => s.key).join(',')} ${variant}`
    let found = this.#byShape.get(key)
    if (found === undefined) {
      const { stopwatch, profile } = this.#context
      found = stopwatch.time(profile.compile, () => this.#specialise(shapes, mode, key))
      this.#byShape.set(key, found)
    }
    this.#lastShapes = shapes
    this.#lastMode = mode
    this.#lastVariant = variant
    this.#last = found
    return found
  }

  /** One call, counted and timed. */
  call<T>(kernel: Specialised<F>, rows: number, run: (kernel: F) => T): T {
    const { stopwatch } = this.#context
    const start = stopwatch.now()
    const result = run(kernel.run)
    kernel.profile.durationNs += stopwatch.now() - start
    kernel.profile.calls++
    kernel.profile.rows += rows
    return result
  }

  #specialise(shapes: readonly ColumnShape[], mode: KernelMode, key: string): Specialised<F> {
    const { runtime, profile, directory } = this.#context
    const { text, constants, tables, map } = this.spec.specialise(shapes, mode)
    const filename = `${directory}/${this.spec.name}.js`
    const { factory, cached } = compileKernel(text, key, filename, map)
    const named = this.spec.fields.map((field, index) => `${field} ${shapes[index]!.key}`).join(', ')
    const kernelProfile: KernelProfile = {
      name: this.spec.name,
      shapes: `${named}${mode.selected ? ' | selected rows' : ''}${mode.exact ? ' | exact integers' : ''}`,
      text,
      calls: 0,
      rows: 0,
      durationNs: 0,
      gaveUp: 0,
      cached,
    }
    profile.kernels.push(kernelProfile)
    profile.compile.kernels++
    if (cached) profile.compile.cached++
    for (const table of tables) {
      const isKnown = profile.tables.some(({ site }) => site === table.site)
      if (!isKnown) profile.tables.push({ ...table, values: 0 })
    }
    return { run: factory(runtime, constants) as F, profile: kernelProfile }
  }
}
