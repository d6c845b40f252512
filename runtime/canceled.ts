/** The run was cancelled, by its caller or through its signal. */
export class CanceledError extends Error {
  constructor() {
    super('the query was canceled')
    this.name = 'CanceledError'
  }
}
