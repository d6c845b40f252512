/**
 * What the C library's allocator keeps of freed memory, given back to the system. Node has no call for it, so glibc's own are called through
 * `ffi-rs`, an optional dependency that enters here: where it is not installed, or the C library is another one, there is none of this, and
 * nothing but the memory of a process at rest depends on it.
 *
 * Why: once a large buffer has been freed, glibc takes those that follow from its heaps, up to 32 MB each. A heap shrinks from its end alone, and
 * a few pieces of 32 bytes near the end hold all before them: a server that has taken two million events and is at rest keeps 130 to 190 MiB of
 * which 7 are in use. `malloc_trim` gives back every free page, wherever it lies.
 */
import { createRequire } from 'node:module'

export interface Malloc {
  /** Why there is none, and the functions do nothing; null: they do. */
  readonly absent: string | null
  /**
   * Gives back all pages that hold nothing, in a thread of the pool: 9 ms of it for 170 MiB, and who allocates meanwhile may wait for as long.
   * Asked again before that is done, it is the same one.
   */
  trim(): Promise<void>
  /**
   * From now on freed buffers of so many bytes and more go back at once, of the whole process, unless its environment says how it is to be.
   * It costs where large buffers are made often, as the system zeroes them each time.
   */
  giveBackFrom(bytes: number): void
}

/** Functions of glibc, by their own names. */
export interface Glibc {
  gnu_get_libc_version(): string
  /** In a thread of the pool. */
  malloc_trim(pad: number): Promise<number>
  mallopt(parameter: number, value: number): number
}

/** Of <malloc.h>. */
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
const M_ARENA_MAX = -8

/** Each thread's own heap would keep what one keeps. */
const ARENAS_MAX = 2

let found: Malloc | null = null

/** Of this process: loaded when it is first asked for, in 10 ms. */
export function malloc(): Malloc {
  found ??= mallocOf(loadGlibc, process.env)
  return found
}

/** @param load  throws why there are none */
export function mallocOf(load: () => Glibc, environment: NodeJS.ProcessEnv): Malloc {
  let glibc: Glibc
  try {
    glibc = load()
    // Another C library has no such function, which is noticed here.
    glibc.gnu_get_libc_version()
  } catch (error) {
    const absent = error instanceof Error ? error.message : String(error)
    return { absent, trim: async () => {}, giveBackFrom() {} }
  }
  const { MALLOC_MMAP_THRESHOLD_, GLIBC_TUNABLES = '' } = environment
  const isToldOtherwise = MALLOC_MMAP_THRESHOLD_ !== undefined || GLIBC_TUNABLES.includes('glibc.malloc.')
  let trimming: Promise<void> | null = null
  return {
    absent: null,
    trim() {
      trimming ??= glibc.malloc_trim(0).then(() => {
        trimming = null
      })
      return trimming
    },
    giveBackFrom(bytes) {
      if (isToldOtherwise) return
      glibc.mallopt(M_MMAP_THRESHOLD, bytes)
      glibc.mallopt(M_TRIM_THRESHOLD, bytes)
      glibc.mallopt(M_ARENA_MAX, ARENAS_MAX)
    },
  }
}

/** As much of the package as is called. Its own types are not there where it is not. */
interface FfiPackage {
  open(library: { readonly library: string; readonly path: string }): void
  load(call: {
    readonly library: string
    readonly funcName: string
    readonly retType: number
    readonly paramsType: readonly number[]
    readonly paramsValue: readonly unknown[]
    readonly runInNewThread?: boolean
  }): unknown
  readonly DataType: { readonly String: number; readonly I32: number; readonly I64: number }
}

/** What `dlopen` takes for the process itself, with all that it has loaded. */
const SELF = { library: 'self', path: '' }

function loadGlibc(): Glibc {
  if (process.platform !== 'linux') throw new Error(`this is ${process.platform}, which has no glibc`)
  const { open, load, DataType } = requireFfi()
  const { String: Text, I32, I64 } = DataType
  const { library } = SELF
  open(SELF)
  return {
    gnu_get_libc_version: () =>
      load({ library, funcName: 'gnu_get_libc_version', retType: Text, paramsType: [], paramsValue: [] }) as string,
    malloc_trim: pad =>
      load({
        library,
        funcName: 'malloc_trim',
        retType: I32,
        paramsType: [I64],
        paramsValue: [pad],
        runInNewThread: true,
      }) as Promise<number>,
    mallopt: (parameter, value) =>
      load({
        library,
        funcName: 'mallopt',
        retType: I32,
        paramsType: [I32, I32],
        paramsValue: [parameter, value],
      }) as number,
  }
}

/**
 * It looks for its binary by Node's report of the process, for which Node walks its own stack: 4 ms, and 1 MiB of its tables in memory from then on. It is
 * given the answer that leads to the binary for glibc instead. Where there is none, or it cannot be loaded, there is nothing to call either.
 */
function requireFfi(): FfiPackage {
  const report = process.report as { getReport: (error?: Error) => object } | undefined
  if (report === undefined) throw new Error('this process has no report')
  const { getReport } = report
  report.getReport = () => ({ header: { glibcVersionRuntime: 'of this process' } })
  try {
    return createRequire(import.meta.url)('ffi-rs') as FfiPackage
  } finally {
    report.getReport = getReport
  }
}
