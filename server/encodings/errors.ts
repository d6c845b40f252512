/** How decoders of ours say the two things that can be wrong, in the way zlib says them. */

export class DecodedTooLargeError extends Error {
  readonly code = 'ERR_BUFFER_TOO_LARGE'
  constructor() {
    super('the decoded body is too large')
    this.name = 'DecodedTooLargeError'
  }
}

export class DecodingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DecodingError'
  }
}
