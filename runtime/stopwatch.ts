/**
 * Who is at work. Time belongs to one owner at a time: whoever enters takes over, and gives back to the one before when it leaves. So a
 * column that stats asks for and extend computes is extend's time, a block that is decoded meanwhile is decoding's, and nothing counts twice.
 */

export interface Owner {
  durationNs: number
}

export class Stopwatch {
  readonly #isOn: boolean
  readonly #outer: Owner[] = []
  /** Between batches the reader is at work, which is nobody's time here. */
  #owner: Owner = { durationNs: 0 }
  #since = 0

  constructor(isOn: boolean) {
    this.#isOn = isOn
  }

  enter(owner: Owner): void {
    if (!this.#isOn) return
    this.#outer.push(this.#owner)
    this.#turnTo(owner)
  }

  leave(): void {
    if (!this.#isOn) return
    this.#turnTo(this.#outer.pop()!)
  }

  time<T>(owner: Owner, work: () => T): T {
    this.enter(owner)
    try {
      return work()
    } finally {
      this.leave()
    }
  }

  /** Nanoseconds since some moment; 0 when nothing is measured. */
  now(): number {
    return this.#isOn ? performance.now() * 1e6 : 0
  }

  #turnTo(owner: Owner): void {
    const now = performance.now()
    this.#owner.durationNs += (now - this.#since) * 1e6
    this.#since = now
    this.#owner = owner
  }
}
