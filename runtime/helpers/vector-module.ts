/**
 * The few words of WebAssembly that hand-written vector loops need, as the bytes they are. JavaScript has no vector instructions; a module
 * of two hundred bytes, put together here and compiled when the process starts to need it, has.
 */

export const I32 = 0x7f
export const V128 = 0x7b

export const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  ifThen: [0x04, 0x40],
  end: [0x0b],
  br: (depth: number) => [0x0c, depth],
  brIf: (depth: number) => [0x0d, depth],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  /** −64 to 63: one byte. */
  i32: (value: number) => [0x41, value & 0x7f],
  isZero: [0x45],
  lessUnsigned: [0x49],
  notLessUnsigned: [0x4f],
  trailingZeros: [0x68],
  add: [0x6a],
  sub: [0x6b],
  and: [0x71],
  shiftLeft: [0x74],
  shiftRight: [0x76],
  store: [0x36, 2, 0],
  loadVector: (offset: number) => [0xfd, 0x00, 0, offset],
  bytes: (values: readonly number[]) => [0xfd, 0x0c, ...values],
  everyByte: (value: number) => [0xfd, 0x0c, ...new Array<number>(16).fill(value)],
  /** Byte by byte of the second, the byte of the first it names; 0 where it names none. */
  swizzle: [0xfd, 0x0e],
  bytesDiffer: [0xfd, 0x24],
  andVector: [0xfd, 0x4e],
  orVector: [0xfd, 0x50],
  /** The highest bit of each byte, as 16 bits of an i32. */
  bitmask: [0xfd, 0x64],
  shiftBytesRight: [0xfd, 0x6d],
  subtractBytes: [0xfd, 0x71],
} as const

/** A module of one function, `run`, all of whose parameters and whose result are i32, and one memory, `memory`. */
export function moduleOf(
  parameters: number,
  locals: readonly number[],
  code: readonly (readonly number[])[],
): Uint8Array {
  const type = [0x60, ...vector(new Array<number>(parameters).fill(I32)), ...vector([I32])]
  const body = [...list(locals.map(each => [1, each])), ...code.flat(), 0x0b]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([type])),
    ...section(3, vector([0])),
    ...section(5, list([[0, 1]])),
    ...section(
      7,
      list([
        [...name('run'), 0, 0],
        [...name('memory'), 2, 0],
      ]),
    ),
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

/** Unsigned LEB128. */
function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
}
