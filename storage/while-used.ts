/** What is made when somebody asks for it and let go once nobody has for some seconds: memory of loops that only loading needs is nothing a server at rest should hold. */

const IDLE_MS = 5000

export class WhileUsed<Made extends object> {
  readonly #make: () => Made | null
  /** Null: there is none to be had. */
  #made: Made | null | undefined
  #isUsed = false
  #idle: NodeJS.Timeout | null = null

  constructor(make: () => Made | null) {
    this.#make = make
  }

  /** Not to be kept beyond the turn. */
  get(): Made | null {
    this.#isUsed = true
    if (this.#made === undefined) {
      this.#made = this.#make()
      if (this.#made !== null) this.#idle = setInterval(() => this.#rest(), IDLE_MS).unref()
    }
    return this.#made
  }

  #rest(): void {
    if (!this.#isUsed) {
      clearInterval(this.#idle!)
      this.#made = undefined
    }
    this.#isUsed = false
  }
}
