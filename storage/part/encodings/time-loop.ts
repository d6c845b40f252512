/**
 * Does text say the event's time? In the minute of the row before only the seconds are read, and whether the rest is the same is seen at once: 4 ns a row,
 * 25 where JavaScript reads it byte by byte.
 */
import { type Code, F64, I32, type LoopBeside, MachineLoop, op } from '../../vector-module.ts'
import { WhileUsed } from '../../while-used.ts'

/** How times are written: digits of the second behind the point, and what stands behind them. */
export interface TimeForm {
  readonly digits: number
  readonly zone: Uint8Array
}

const ROWS = 1024
const TEXT_BYTES_MAX = 40
/** Up to the minute. */
const MINUTE_BYTES = 16
/** Addresses in bytes: microseconds of the minute, how it is written, microseconds of the rows, where their texts begin, the texts. */
const [MINUTE_AT, PREFIX_AT, MICROS_AT] = [0, 16, 32] as const
const OFFSETS_AT = MICROS_AT + 8 * ROWS
const TEXT_AT = OFFSETS_AT + 4 * (ROWS + 1) + 12
const MEMORY_BYTES = TEXT_AT + TEXT_BYTES_MAX * ROWS + MINUTE_BYTES

const [FROM, COUNT] = [0, 1] as const
const [TEXT, OFFSET, MICROS, DIGIT, VALUE, OTHERS] = [2, 3, 4, 5, 6, 7] as const
const LOCALS = [I32, I32, I32, I32, I32, I32, F64]
const MINUTE = 8

const noted: Code = [op.get(OTHERS), op.or, op.set(OTHERS)]
const byteIs = (at: number, byte: number): Code => [
  ...[op.get(TEXT), op.loadByteAt(at), op.i32(byte), op.differ, ...noted],
]
/** A digit of at most `most` becomes the last of the value. */
const digitAt = (at: number, most = 9): Code => [
  ...[op.get(TEXT), op.loadByteAt(at), op.i32(48), op.sub, op.tee(DIGIT), op.i32(most), op.greaterUnsigned, ...noted],
  ...[op.get(VALUE), op.i32(10), op.multiply, op.get(DIGIT), op.add, op.set(VALUE)],
]

/** (from, count) => the first row from there on that does not say its time in the minute there is; `count`: all of them do. */
function codeOf({ digits, zone }: TimeForm): Code {
  const places = Array.from({ length: digits }, (_, digit) => digit)
  const zoneAt = digits === 0 ? 19 : 20 + digits
  return [
    ...[op.i32(MINUTE_AT), op.loadFloat, op.set(MINUTE)],
    ...[op.get(FROM), op.i32(2), op.shiftLeft, op.i32(OFFSETS_AT), op.add, op.set(OFFSET)],
    ...[op.get(FROM), op.i32(3), op.shiftLeft, op.i32(MICROS_AT), op.add, op.set(MICROS)],
    ...[op.block, op.loop, op.get(FROM), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
    // Of the text before the first row there is nothing here.
    ...[op.get(OFFSET), op.load, op.i32(OFFSETS_AT), op.load, op.sub, op.i32(TEXT_AT), op.add, op.set(TEXT)],
    ...[op.get(OFFSET), op.loadAt(4), op.get(OFFSET), op.load, op.sub, op.i32(zoneAt + zone.length), op.differ],
    op.set(OTHERS),
    ...[op.get(TEXT), op.loadVector(0), op.i32(PREFIX_AT), op.loadVector(0), op.xorVector, op.isAny, ...noted],
    ...[op.i32(0), op.set(VALUE), ...byteIs(MINUTE_BYTES, 58), ...digitAt(17, 5), ...digitAt(18)],
    ...(digits === 0 ? [] : byteIs(19, 46)),
    ...places.flatMap(digit => digitAt(20 + digit)),
    ...[...zone].flatMap((byte, index) => byteIs(zoneAt + index, byte)),
    ...[op.get(VALUE), op.i32(10 ** (6 - digits)), op.multiply, op.floatOfUnsigned, op.get(MINUTE), op.addFloats],
    ...[op.get(MICROS), op.loadFloat, op.floatsDiffer, ...noted],
    ...[op.get(OTHERS), op.ifThen, op.get(FROM), op.leave, op.end],
    ...[op.get(OFFSET), op.i32(4), op.add, op.set(OFFSET), op.get(MICROS), op.i32(8), op.add, op.set(MICROS)],
    ...[op.get(FROM), op.i32(1), op.add, op.set(FROM), op.br(0), op.end, op.end, op.get(COUNT)],
  ]
}

interface Loops {
  /** That of any form; the others work in its memory. */
  readonly own: MachineLoop
  readonly bytes: Uint8Array
  readonly doubles: Float64Array
  readonly offsets: Uint32Array
  readonly byForm: Map<TimeForm, MachineLoop | LoopBeside>
}

/** There is no memory without a loop. */
const ANY_FORM: TimeForm = { digits: 0, zone: Buffer.from('Z') }

const allLoops = new WhileUsed<Loops>(() => {
  const own = MachineLoop.of(2, LOCALS, codeOf(ANY_FORM))
  if (own === null) return null
  const bytes = own.room(MEMORY_BYTES)
  const doubles = new Float64Array(bytes.buffer, 0, MICROS_AT / 8 + ROWS)
  const offsets = new Uint32Array(bytes.buffer, OFFSETS_AT, ROWS + 1)
  return { own, bytes, doubles, offsets, byForm: new Map() }
})

function loopOf(form: TimeForm): { readonly run: (...args: number[]) => number; readonly loops: Loops } | null {
  const loops = allLoops.get()
  if (loops === null) return null
  let loop = loops.byForm.get(form)
  if (loop === undefined) loops.byForm.set(form, (loop = loops.own.beside(2, LOCALS, codeOf(form))))
  return { run: loop.run, loops }
}

/**
 * Whether each text says its time, which is whole microseconds, in this form.
 *
 * @param form  of six digits at most, and the same object each time
 * @param minuteOf  asked where another minute begins: what the text of that row is up to there, and its microseconds; null: it says another time
 * @returns null: there is no such loop here
 */
export function sayTimes(
  bytes: Uint8Array,
  offsets: Uint32Array,
  micros: Float64Array,
  form: TimeForm,
  minuteOf: (row: number) => { readonly prefix: Uint8Array; readonly micros: number } | null,
): boolean | null {
  const made = loopOf(form)
  if (made === null) return null
  const { run, loops } = made
  loops.doubles[MINUTE_AT / 8] = Number.NaN
  for (let from = 0; from < micros.length; from += ROWS) {
    const count = Math.min(ROWS, micros.length - from)
    const text = bytes.subarray(offsets[from], offsets[from + count])
    if (text.length > count * TEXT_BYTES_MAX) return false
    loops.bytes.set(text, TEXT_AT)
    loops.offsets.set(offsets.subarray(from, from + count + 1))
    loops.doubles.set(micros.subarray(from, from + count), MICROS_AT / 8)
    for (let row = run(0, count); row < count; row = run(row + 1, count)) {
      const minute = minuteOf(from + row)
      if (minute === null) return false
      loops.bytes.set(minute.prefix, PREFIX_AT)
      loops.doubles[MINUTE_AT / 8] = minute.micros
    }
  }
  return true
}
