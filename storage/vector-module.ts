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
  divideUnsigned: [0x6e],
  remainderUnsigned: [0x70],
  shiftLeft: [0x74],
  shiftRight: [0x76],
  load: [0x28, 2, 0],
  loadAt: (offset: number) => [0x28, 2, ...leb(offset)],
  loadByte: [0x2d, 0, 0],
  loadByteAt: (offset: number) => [0x2d, 0, ...leb(offset)],
  loadTwoBytes: [0x2f, 1, 0],
  loadFloat: [0x2b, 3, 0],
  loadFloatAt: (offset: number) => [0x2b, 3, ...leb(offset)],
  store: [0x36, 2, 0],
  storeAt: (offset: number) => [0x36, 2, ...leb(offset)],
  storeByte: (offset: number) => [0x3a, 0, ...leb(offset)],
  storeFloat: [0x39, 3, 0],
  storeFloatAt: (offset: number) => [0x39, 3, ...leb(offset)],
  floatsDiffer: [0x62],
  lessFloat: [0x63],
  greaterFloat: [0x64],
  absoluteFloat: [0x99],
  negateFloat: [0x9a],
  /** Ties to even. */
  nearestFloat: [0x9e],
  addFloats: [0xa0],
  subtractFloats: [0xa1],
  divideFloats: [0xa3],
  /** Of one that is zero or more, without what is behind its point; another traps. */
  unsignedOfFloat: [0xab],
  floatOfInt: [0xb7],
  floatOfUnsigned: [0xb8],
  multiplyFloats: [0xa2],
  floatOfLong: [0xb9],
  bitsOfFloat: [0xbd],
  isZeroLong: [0x50],
  trailingZerosLong: [0x7a],
  popcountLong: [0x7b],
  addLongs: [0x7c],
  subtractLongs: [0x7d],
  andLongs: [0x83],
  orLongs: [0x84],
  shiftLeftLong: [0x86],
  shiftRightLong: [0x88],
  loadLong: [0x29, 0, 0],
  storeLong: [0x37, 0, 0],
  /** The low bytes of a long. */
  storeBytesOfLong: (bytes: 1 | 2 | 4) => [bytes === 1 ? 0x3c : bytes === 2 ? 0x3d : 0x3e, 0, 0],
  /** Of a double, without what is behind its point. */
  longOfFloat: [0xfc, 0x06],
  longsEqual: [0x51],
  multiplyLongs: [0x7e],
  xorLongs: [0x85],
  intOfLong: [0xa7],
  longOfUnsigned: [0xad],
  /** Eight bytes as sixteen, each of them two; four pairs of bytes as four words. */
  loadBytesAsPairs: [0xfd, 0x02, 0, 0],
  loadPairsAsWords: (offset: number) => [0xfd, 0x04, 0, offset],
  loadVector: (offset: number) => [0xfd, 0x00, 0, offset],
  storeVector: (offset: number) => [0xfd, 0x0b, 0, offset],
  bytes: (values: readonly number[]) => [0xfd, 0x0c, ...values],
  everyByte: (value: number) => [0xfd, 0x0c, ...new Array<number>(16).fill(value)],
  /** Byte by byte of the second, the byte of the first it names; 0 where it names none. */
  swizzle: [0xfd, 0x0e],
  bytesEqual: [0xfd, 0x23],
  bytesDiffer: [0xfd, 0x24],
  bytesLessUnsigned: [0xfd, 0x26],
  notVector: [0xfd, 0x4d],
  andVector: [0xfd, 0x4e],
  orVector: [0xfd, 0x50],
  xorVector: [0xfd, 0x51],
  /** Of its two. */
  longOfVector: (lane: number) => [0xfd, 0x1d, lane],
  /** Whether any bit is set. */
  isAny: [0xfd, 0x53],
  /** The highest bit of each byte, as 16 bits of an i32. */
  bitmask: [0xfd, 0x64],
  /** Of an i32, the low bits of it in each place. */
  splatBytes: [0xfd, 0x0f],
  splatPairs: [0xfd, 0x10],
  splatWords: [0xfd, 0x11],
  shiftBytesLeft: [0xfd, 0x6b],
  shiftBytesRight: [0xfd, 0x6d],
  /** Two bytes, the first of which is the low one, as one number. */
  shiftPairsLeft: [0xfd, 0x8b, 1],
  shiftPairsRight: [0xfd, 0x8d, 1],
  lowPairsAsWords: [0xfd, 0xa9, 1],
  highPairsAsWords: [0xfd, 0xaa, 1],
  addWords: [0xfd, 0xae, 1],
  greatestBytes: [0xfd, 0x79],
  greatestPairs: [0xfd, 0x99, 1],
  greatestWords: [0xfd, 0xb9, 1],
  shiftWordsLeft: [0xfd, 0xab, 1],
  shiftWordsRight: [0xfd, 0xad, 1],
  /** Of those of the first, then of the second, one byte each. */
  bytesOfPairs: [0xfd, 0x66],
  subtractBytes: [0xfd, 0x71],
  /** Two doubles side by side; what is compared has all its bits set where it is so. */
  everyFloat: (value: number) => [0xfd, 0x0c, ...new Uint8Array(Float64Array.of(value, value).buffer)],
  doublesEqual: [0xfd, 0x47],
  doublesLess: [0xfd, 0x49],
  doublesNotGreater: [0xfd, 0x4b],
  truncateDoubles: [0xfd, 0x7a],
  absoluteDoubles: [0xfd, 0xec, 1],
  /** Of the first, unless the second is less; more. */
  leastDoubles: [0xfd, 0xf6, 1],
  greatestDoubles: [0xfd, 0xf7, 1],
  longsOfVectorEqual: [0xfd, 0xd6, 1],
} as const

/** Instructions, one behind the other. */
export type Code = readonly (readonly number[])[]

const PAGE_BYTES = 65_536
const MEMORY_BYTES_MAX = 2 ** 32

/** How many parameters it has, its other locals, and what it does. */
type Loop = readonly [parameters: number, locals: readonly number[], code: Code]

interface Memory {
  readonly buffer: ArrayBuffer
}

/** As much of it as is used here; a process that may not compile (`--jitless`) has none. */
declare const WebAssembly:
  | undefined
  | {
      readonly Memory: new (limits: { readonly initial: number }) => Memory
      readonly Module: new (bytes: Uint8Array) => object
      readonly Instance: new (
        module: object,
        imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
      ) => { readonly exports: unknown }
    }

/** Addresses are in bytes. */
type Run = (...args: number[]) => number

/** A loop in a memory that it may share with others. */
export class LoopBeside {
  /** Another function after the memory became another. */
  run: Run
  readonly #module: object

  constructor(memory: Memory, ...loop: Loop) {
    this.#module = new WebAssembly!.Module(moduleOf(...loop))
    this.run = this.#runIn(memory)
  }

  /** @param memory  what it works in from now on */
  moveTo(memory: Memory): void {
    this.run = this.#runIn(memory)
  }

  #runIn(memory: Memory): Run {
    const { exports } = new WebAssembly!.Instance(this.#module, { of: { memory } })
    return (exports as { readonly run: Run }).run
  }
}

/** One loop, or several, and the memory they work in: what it reads is copied there, and what it writes is copied from there. */
export class MachineLoop {
  /** Another function after `room` found more. */
  run: Run
  readonly #own: LoopBeside
  readonly #beside: LoopBeside[] = []
  #memory: Memory
  #bytes: Uint8Array

  /** Null where WebAssembly is not to be had. */
  static of(...loop: Loop): MachineLoop | null {
    if (typeof WebAssembly === 'undefined') return null
    return new MachineLoop(new WebAssembly.Memory({ initial: 1 }), loop)
  }

  private constructor(memory: Memory, loop: Loop) {
    this.#memory = memory
    this.#bytes = new Uint8Array(memory.buffer)
    this.#own = new LoopBeside(memory, ...loop)
    this.run = this.#own.run
  }

  /** Another loop in this one's memory. */
  beside(...loop: Loop): LoopBeside {
    const beside = new LoopBeside(this.#memory, ...loop)
    this.#beside.push(beside)
    return beside
  }

  /**
   * The memory, of so many bytes at least; another array, with what the one before held, when that had fewer.
   *
   * A memory that grows takes its buffer from those who have it, and once any buffer was taken from anyone V8 asks each typed array at
   * each access whether it still has one: a loop that counts rows by code 2.5 → 3.8 ms per 2 M. So there is a new memory, and the old one goes.
   */
  room(bytes: number): Uint8Array {
    if (bytes > this.#bytes.length) {
      // Twice as much at least: what a table that grows has is copied each time.
      const wanted = Math.max(bytes, Math.min(2 * this.#bytes.length, MEMORY_BYTES_MAX))
      this.#memory = new WebAssembly!.Memory({ initial: Math.ceil(wanted / PAGE_BYTES) })
      const before = this.#bytes
      this.#bytes = new Uint8Array(this.#memory.buffer)
      this.#bytes.set(before)
      for (const loop of [this.#own, ...this.#beside]) loop.moveTo(this.#memory)
      this.run = this.#own.run
    }
    return this.#bytes
  }
}

/** A module of one function, `run`, all of whose parameters and whose result are i32, that works in the memory it is given. */
function moduleOf(parameters: number, locals: readonly number[], code: Code): Uint8Array {
  const type = [0x60, ...vector(new Array<number>(parameters).fill(I32)), ...vector([I32])]
  const body = [...list(locals.map(each => [1, each])), ...code.flat(), 0x0b]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([type])),
    ...section(2, list([[...name('of'), ...name('memory'), 2, 0, 1]])),
    ...section(3, vector([0])),
    ...section(7, list([[...name('run'), 0, 0]])),
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
