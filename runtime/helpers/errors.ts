/** The one thing a helper may throw. */

/** `int!(x)` met a present value it cannot convert: the query fails and names the row. */
export class StrictCastError extends Error {
  override readonly name = 'StrictCastError'
  readonly type: string
  readonly text: string
  constructor(type: string, text: string) {
    super(`${type}!() cannot convert ${text}`)
    this.type = type
    this.text = text
  }
}
