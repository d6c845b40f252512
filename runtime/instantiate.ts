/**
 * Kernel text becomes functions. `vm.compileFunction` rather than `new Function`: exact line numbers, names in CPU profiles, and
 * source maps that land on the query. Kernels are cached across queries by shapes and by what their text says to the machine: literals
 * travel beside the text, and comments and the kernel's name are for people, so `status >= 500` and `status >= 400` are one function,
 * wherever they stand. The function itself is kept, not a maker of closures: V8 would learn about each closure anew.
 */
import { compileFunction } from 'node:vm'
import type { Vector } from '../storage/vector.ts'
import type { ColumnShape } from './batch.ts'
import type { Runtime } from './helpers/context.ts'
import { Lru } from './helpers/lru.ts'
import type { KernelProfile, Profile } from './profile.ts'
import type { KernelMode, KernelSpec, KernelText } from './program.ts'
import { shapeOf } from './shape.ts'
import type { Stopwatch } from './stopwatch.ts'

type Kernel = (rt: Runtime, k: readonly unknown[], ...args: unknown[]) => unknown

/** Kernels kept: enough for a busy dashboard server; what was not used for longest goes first. */
const KERNELS_MAX = 1024
const kernels = new Lru<string, Kernel>(KERNELS_MAX)

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
  const { size, max, hits, misses, evictions } = kernels
  return { size, max, hits, misses, evictions }
}

/** To the machine, by text. */
const whatTextsSay = new WeakMap<KernelText, string>()

const COMMENT_LINES = /^ *\/\/.*$/gm

function compileKernel(
  kernelText: KernelText,
  name: string,
  variant: string,
  filename: string,
): { kernel: Kernel; cached: boolean } {
  const { text, map } = kernelText
  let said = whatTextsSay.get(kernelText)
  if (said === undefined) {
    // A map leads to one query's text, so what has one is nobody else's.
    const plain = text.replace(`return function ${name}(`, 'return function kernel(').replace(COMMENT_LINES, '//')
    whatTextsSay.set(kernelText, (said = map === null ? plain : `${text}${map}`))
  }
  const key = `${variant}\n${said}`
  const { misses } = kernels
  const kernel = kernels.getOrMake(key, () => {
    const inline =
      map === null ? '' : `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`
    return (compileFunction(text + inline, [], { filename }) as () => Kernel)()
  })
  return { kernel, cached: kernels.misses === misses }
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
      lastMode.bySlot === mode.bySlot &&
      this.#lastVariant === variant &&
      columns.every((column, index) => shapeOf(column) === this.#lastShapes[index])
    ) {
      return last
    }
    const shapes = columns.map(shapeOf)
    const key = `${mode.selected ? 's' : 'd'}${mode.exact ? 'x' : ''}${mode.bySlot === true ? 'b' : ''} ${shapes.map(s => s.key).join(',')} ${variant}`
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
    const specialised = this.spec.specialise(shapes, mode)
    const { text, constants, tables } = specialised
    const filename = `${directory}/${this.spec.name}.js`
    const { kernel, cached } = compileKernel(specialised, this.spec.name, key, filename)
    const named = this.spec.fields.map((field, index) => `${field} ${shapes[index]!.key}`).join(', ')
    const modes = [mode.selected && 'selected rows', mode.exact && 'exact integers']
    const kernelProfile: KernelProfile = {
      name: this.spec.name,
      shapes: [named, ...modes].filter(Boolean).join(' | '),
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
      const { site, expression, field } = table
      if (!isKnown) profile.tables.push({ site, expression, field, values: 0 })
    }
    return { run: kernel.bind(undefined, runtime, constants) as F, profile: kernelProfile }
  }
}
