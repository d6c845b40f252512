/**
 * What a masked stretch of a line was: one bit a kind, so that many lines are summed up by an OR, in any order.
 * A slot is such a mask and, above it, the digits themselves where they may be part of a name (`ssh2`, `wl0`) and were always the same.
 */

export const NUM = 1
export const HEX = 2
export const IP = 4
export const UUID = 8
export const TIME = 16
export const PATH = 32
export const URL_KIND = 64
export const HOST = 128
export const EMAIL = 256
export const SIZE = 512
export const DURATION = 1024
export const ID = 2048
/** Words that were found to vary: no kind at all. */
export const WORDS = 4096

const KIND_BITS = 0x1fff
const DIGITS_SHIFT = 13

const NAMES = new Map<number, string>([
  [NUM, '<num>'],
  [HEX, '<hex>'],
  [NUM | HEX, '<hex>'],
  [IP, '<ip>'],
  [UUID, '<uuid>'],
  [TIME, '<time>'],
  [PATH, '<path>'],
  [URL_KIND, '<url>'],
  [HOST, '<host>'],
  [HOST | IP, '<host>'],
  [EMAIL, '<email>'],
  [SIZE, '<size>'],
  [NUM | SIZE, '<size>'],
  [DURATION, '<duration>'],
  [NUM | DURATION, '<duration>'],
  [ID, '<id>'],
  [ID | HEX, '<id>'],
  [ID | NUM, '<id>'],
  [ID | HEX | NUM, '<id>'],
])

/** A slot that remembers one or two digits. */
export function digitSlot(kind: number, length: number, value: number): number {
  return kind | ((length === 1 ? value + 1 : value + 11) << DIGITS_SHIFT)
}

/** Commutative, associative and idempotent: the slots of many lines are one, whatever the order. */
export function joinSlots(left: number, right: number): number {
  return left === right ? left : (left | right) & KIND_BITS
}

/** How a slot is shown: its digits when it has them, else its kind, else `<*>`. */
export function showSlot(slot: number): string {
  const digits = slot >>> DIGITS_SHIFT
  if (digits === 0) return NAMES.get(slot) ?? '<*>'
  return digits <= 10 ? String(digits - 1) : String(digits - 11).padStart(2, '0')
}
