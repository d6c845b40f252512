/**
 * UTF-8 of the short ASCII strings that values mostly are. A call of `TextEncoder` or `Buffer.from` costs more than all the bytes of one, and a
 * dictionary of users or hosts is tens of thousands of them a block.
 */
const SHORT = 48
const ENCODER = new TextEncoder()

const scratch = new Uint8Array(SHORT)

/** Lone surrogates become U+FFFD. Never a Buffer: see woven/unweave.ts. */
export function utf8Of(text: string): Uint8Array {
  const { length } = text
  if (length > SHORT) return ENCODER.encode(text)
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 128) return ENCODER.encode(text)
    scratch[at] = code
  }
  return scratch.slice(0, length)
}

const QUOTE = 34
const BACKSLASH = 92

/** The bytes of `JSON.stringify(text)`. */
export function jsonStringOf(text: string): Uint8Array {
  const { length } = text
  if (length > SHORT - 2) return ENCODER.encode(JSON.stringify(text))
  scratch[0] = QUOTE
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 128 || code < 32 || code === QUOTE || code === BACKSLASH) return ENCODER.encode(JSON.stringify(text))
    scratch[at + 1] = code
  }
  scratch[length + 1] = QUOTE
  return scratch.slice(0, length + 2)
}
