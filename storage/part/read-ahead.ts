/**
 * Which chunks a scan will want next. Columns lie apart in a part file, so the system's own read-ahead does not find the next block's, and reading
 * 93 chunks of 7.6 MB from a disk took 54 of the 118 ms of a first query over 2 M events. Who says so, or read a field of two blocks, one some blocks
 * behind the other, will read on in steps as wide: the system is asked for those chunks meanwhile, of more blocks each time, as long as the guess holds.
 * What is read this way goes nowhere: the system has it then, and whoever wants the chunk reads and checks it as ever.
 */

/** Wider steps are no scan's: two threads take every other block, eight every eighth. */
const STEP_MAX = 8
/** Steps ahead at most: enough for a slow disk, little for who stops. */
const AHEAD_MAX = 8

interface Course {
  last: number
  /** Blocks from one to the next, negative from the newest on; 0: only one was read. */
  step: number
  /** How far the system has been asked, in steps from `last`. */
  asked: number
  /** Steps to be asked for: twice as many each time. */
  ahead: number
  isSlow: boolean
}

export class ReadAhead {
  readonly #courses = new Map<string, Course>()
  #expected = 0
  readonly #ask: (field: string, block: number) => boolean

  /** @param ask  has the system fetch what `field` has of `block`; false: there is no such block */
  constructor(ask: (field: string, block: number) => boolean) {
    this.#ask = ask
  }

  /** A scan begins that will read in steps as wide: its first block is enough to go by. */
  expect(step: number): void {
    this.#courses.clear()
    this.#expected = Math.abs(step) > STEP_MAX ? 0 : step
  }

  /**
   * The chunk of `field` in `block` is about to be read from the file.
   *
   * @param isSlow  reading waits for the disk: until that was so once, nothing is asked for, as asking takes 0.05 ms
   */
  note(field: string, block: number, isSlow: boolean): void {
    let course = this.#courses.get(field)
    if (course === undefined) {
      course = { last: block - this.#expected, step: this.#expected, asked: 0, ahead: 1, isSlow }
      this.#courses.set(field, course)
    }
    const step = block - course.last
    course.last = block
    if (step === 0 || Math.abs(step) > STEP_MAX) {
      course.step = 0
      course.isSlow = isSlow
      return
    }
    if (step === course.step) course.asked = Math.max(0, course.asked - 1)
    else {
      course.step = step
      course.asked = 0
      course.ahead = 1
    }
    course.isSlow ||= isSlow
    if (!course.isSlow) return
    course.ahead = Math.min(2 * course.ahead, AHEAD_MAX)
    while (course.asked < course.ahead && this.#ask(field, block + (course.asked + 1) * step)) course.asked++
  }
}
