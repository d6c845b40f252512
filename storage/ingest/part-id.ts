/** Part ids: milliseconds and a counter in base 32, so that they sort by creation, also across restarts and clocks set back. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const COUNTER_LENGTH = 4
const COUNTER_END = 32 ** COUNTER_LENGTH

export class PartIds {
  private readonly clock: () => number
  private lastMs: number
  private counter = 0

  /** `newest`: the greatest id in use, if any. */
  constructor(clock: () => number, newest: string | null) {
    this.clock = clock
    this.lastMs = newest === null ? 0 : fromBase32(newest.slice(0, TIME_LENGTH)) + 1
  }

  next(): string {
    const now = Math.floor(this.clock())
    if (now > this.lastMs) {
      this.lastMs = now
      this.counter = 0
    } else if (++this.counter === COUNTER_END) {
      this.lastMs++
      this.counter = 0
    }
    return toBase32(this.lastMs, TIME_LENGTH) + toBase32(this.counter, COUNTER_LENGTH)
  }
}

/** Milliseconds since the epoch of the making of a part; 0 for a name that is no id. */
export function createdAt(id: string): number {
  return fromBase32(id.slice(0, TIME_LENGTH))
}

function toBase32(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < length; i++) {
    text = DIGITS.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Zero for a name that is no id: it sorts where it sorts. */
function fromBase32(text: string): number {
  let value = 0
  for (const digit of text) {
    const at = DIGITS.indexOf(digit)
    if (at < 0) return 0
    value = value * 32 + at
  }
  return value
}
