/** What a run may end with because of what the data hold: the query is right, and cannot be answered over these rows. */

export class DataError extends Error {
  override readonly name: string = 'DataError'
}

/** `int!(x)` met a present value it cannot convert: the query fails and names the row. */
export class StrictCastError extends DataError {
  override readonly name = 'StrictCastError'
  readonly type: string
  readonly text: string
  constructor(type: string, text: string) {
    super(`${type}!() cannot convert ${text}`)
    this.type = type
    this.text = text
  }
}
