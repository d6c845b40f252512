/**
 * The few words of WebAssembly that loops need which are worth it, as the bytes they are: there are vector instructions, and no loop checks
 * its bounds or finds its arrays anew row by row. A module of two hundred bytes is put together here when the process starts to need it.
 */

export const I32 = 0x7f
export const I64 = 0x7e
export const F64 = 0x7c
export const V128 = 0x7b

export const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  ifThen: [0x04, 0x40],
  orElse: [0x05],
  end: [0x0b],
  br: (depth: number) => [0x0c, depth],
  leave: [0x0f],
  brIf: (depth: number) => [0x0d, depth],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  i32: (value: number) => [0x41, ...signedLeb(BigInt(value))],
  isZero: [0x45],
  equal: [0x46],
  differ: [0x47],
  /** A double, as its bytes. */
  f64: (value: number) => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)],
  i64: (value: number | bigint) => [0x42, ...signedLeb(BigInt(value))],
  select: [0x1b],
  lessUnsigned: [0x49],
  greaterUnsigned: [0x4b],
  notLessUnsigned: [0x4f],
  trailingZeros: [0x68],
  add: [0x6a],
  sub: [0x6b],
  multiply: [0x6c],
  and: [0x71],
  or: [0x72],
  xor: [0x73],
  shiftLeft: [0x74],
  shiftRight: [0x76],
  load: [0x28, 2, 0],
  loadAt: (offset: number) => [0x28, 2, ...leb(offset)],
  loadByte: [0x2d, 0, 0],
  loadTwoBytes: [0x2f, 1, 0],
  loadFloat: [0x2b, 3, 0],
  store: [0x36, 2, 0],
  storeAt: (offset: number) => [0x36, 2, ...leb(offset)],
  storeByte: (offset: number) => [0x3a, 0, ...leb(offset)],
  storeFloat: [0x39, 3, 0],
  lessFloat: [0x63],
  greaterFloat: [0x64],
  negateFloat: [0x9a],
  addFloats: [0xa0],
  subtractFloats: [0xa1],
  divideFloats: [0xa3],
  floatOfInt: [0xb7],
  floatOfLong: [0xb9],
  bitsOfFloat: [0xbd],
  isZeroLong: [0x50],
  trailingZerosLong: [0x7a],
  addLongs: [0x7c],
  subtractLongs: [0x7d],
  andLongs: [0x83],
  orLongs: [0x84],
  shiftLeftLong: [0x86],
  shiftRightLong: [0x88],
  loadLong: [0x29, 0, 0],
  storeLong: [0x37, 0, 0],
  longsEqual: [0x51],
  multiplyLongs: [0x7e],
  xorLongs: [0x85],
  intOfLong: [0xa7],
  longOfUnsigned: [0xad],
  loadVector: (offset: number) => [0xfd, 0x00, 0, offset],
  storeVector: (offset: number) => [0xfd, 0x0b, 0, offset],
  bytes: (values: readonly number[]) => [0xfd, 0x0c, ...values],
  everyByte: (value: number) => [0xfd, 0x0c, ...new Array<number>(16).fill(value)],
  /** Byte by byte of the second, the byte of the first it names; 0 where it names none. */
  swizzle: [0xfd, 0x0e],
  bytesEqual: [0xfd, 0x23],
  bytesDiffer: [0xfd, 0x24],
  bytesLessUnsigned: [0xfd, 0x26],
  andVector: [0xfd, 0x4e],
  orVector: [0xfd, 0x50],
  xorVector: [0xfd, 0x51],
  /** Of its two. */
  longOfVector: (lane: number) => [0xfd, 0x1d, lane],
  /** Whether any bit is set. */
  isAny: [0xfd, 0x53],
  /** The highest bit of each byte, as 16 bits of an i32. */
  bitmask: [0xfd, 0x64],
  shiftBytesRight: [0xfd, 0x6d],
  /** Two bytes, the first of which is the low one, as one number. */
  shiftPairsLeft: [0xfd, 0x8b, 1],
  shiftPairsRight: [0xfd, 0x8d, 1],
  /** Of those of the first, then of the second, one byte each. */
  bytesOfPairs: [0xfd, 0x66],
  subtractBytes: [0xfd, 0x71],
} as const

const PAGE_BYTES = 65_536

/** How many parameters it has, its other locals, and what it does. */
type Loop = readonly [parameters: number, locals: readonly number[], code: readonly (readonly number[])[]]

interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** As much of it as is used here; a process that may not compile (`--jitless`) has none. */
declare const WebAssembly:
  | undefined
  | {
      readonly Module: new (bytes: Uint8Array) => object
      readonly Instance: new (
        module: object,
        imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
      ) => { readonly exports: unknown }
    }

/** One loop, or several, and the memory they work in: what it reads is copied there, and what it writes is copied from there. */
export class MachineLoop {
  /** Addresses are in bytes. */
  readonly run: (...args: number[]) => number
  readonly #memory: Memory
  #bytes: Uint8Array

  /** Null where WebAssembly is not to be had. */
  static of(...loop: Loop): MachineLoop | null {
    if (typeof WebAssembly === 'undefined') return null
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleOf(...loop)))
    const { run, memory } = exports as { readonly run: MachineLoop['run']; readonly memory: Memory }
    return new MachineLoop(run, memory)
  }

  /** Another loop in this one's memory. */
  beside(...loop: Loop): MachineLoop['run'] {
    const module = new WebAssembly!.Module(moduleOf(...loop, true))
    const { exports } = new WebAssembly!.Instance(module, { of: { memory: this.#memory } })
    return (exports as { readonly run: MachineLoop['run'] }).run
  }

  private constructor(run: MachineLoop['run'], memory: Memory) {
    this.run = run
    this.#memory = memory
    this.#bytes = new Uint8Array(memory.buffer)
  }

  /** The memory, of so many bytes at least; another array after it grew. */
  room(bytes: number): Uint8Array {
    const missing = bytes - this.#bytes.length
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / PAGE_BYTES))
      this.#bytes = new Uint8Array(this.#memory.buffer)
    }
    return this.#bytes
  }
}

/** A module of one function, `run`, all of whose parameters and whose result are i32, and one memory, `memory`, its own or another's. */
function moduleOf(
  parameters: number,
  locals: readonly number[],
  code: readonly (readonly number[])[],
  isBeside = false,
): Uint8Array {
  const type = [0x60, ...vector(new Array<number>(parameters).fill(I32)), ...vector([I32])]
  const body = [...list(locals.map(each => [1, each])), ...code.flat(), 0x0b]
  const run = [...name('run'), 0, 0]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([type])),
    ...(isBeside ? section(2, list([[...name('of'), ...name('memory'), 2, 0, 1]])) : []),
    ...section(3, vector([0])),
    ...(isBeside ? [] : section(5, list([[0, 1]]))),
    ...section(7, list(isBeside ? [run] : [run, [...name('memory'), 2, 0]])),
    ...section(10, list([[...leb(body.length), ...body]])),
  ])
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content]
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()]
}

const vector = (bytes: readonly number[]): number[] => [...leb(bytes.length), ...bytes]
const name = (text: string): number[] => vector([...Buffer.from(text)])

/** Signed LEB128. */
function signedLeb(value: bigint): number[] {
  const low = Number(value & 0x7fn)
  return value >= -64n && value < 64n ? [low] : [low | 0x80, ...signedLeb(value >> 7n)]
}

/** Unsigned LEB128. */
function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
}
