/**
 * Tokens, as the language defines them: lower-cased runs of Unicode letters and digits; everything else delimits, `_` too.
 * The skip index hashes the tokens of stored text and the text search looks for them in queries, so both must cut alike:
 * `tokensOf` works on strings, `forEachTokenHash` on UTF-8 bytes, `TokenSet.addText` is that loop written out for the part writer, and
 * property tests hold them together.
 */

const RUN = /[\p{L}\p{Nd}]+/gu

/** 1 for the ASCII bytes that belong to words: `0-9`, `A-Z`, `a-z`. Bytes of 0x80 and above are 0: they need a decoder to tell. */
export const isWordByte: Uint8Array = new Uint8Array(256)

/** The lower-case form of an ASCII word byte, 0 for a delimiter, 255 for a byte of a longer character. */
export const FOLD: Uint8Array = new Uint8Array(256)

for (let byte = 0; byte < 256; byte++) {
  const digit = byte >= 0x30 && byte <= 0x39
  const upper = byte >= 0x41 && byte <= 0x5a
  const lower = byte >= 0x61 && byte <= 0x7a
  if (digit || upper || lower) isWordByte[byte] = 1
  FOLD[byte] = digit || lower ? byte : upper ? byte + 32 : byte >= 0x80 ? 255 : 0
}

/** The tokens of `text` in order, repeats included. A run is cut first and lower-cased then. */
export function tokensOf(text: string): string[] {
  const runs = text.match(RUN)
  if (runs === null) return []
  for (let index = 0; index < runs.length; index++) runs[index] = runs[index]!.toLowerCase()
  return runs
}

export const HASH_SEED: number = 0x811c9dc5 | 0
export const HASH_PRIME: number = 0x01000193

/** murmur3's finaliser: spreads the entropy of the last bytes over the whole word. Part of the file format. */
export function finishHash(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** The hash of one token (already lower-cased), over its UTF-8 bytes: 32 bits, signed, so that V8 never boxes it. Part of the file format. */
export function hashToken(token: string): number {
  let hash = HASH_SEED
  for (let index = 0; index < token.length; index++) {
    const unit = token.charCodeAt(index)
    if (unit >= 0x80) return hashBytes(Buffer.from(token, 'utf8'))
    hash = Math.imul(hash ^ unit, HASH_PRIME)
  }
  return finishHash(hash)
}

function hashBytes(bytes: Uint8Array): number {
  let hash = HASH_SEED
  for (let index = 0; index < bytes.length; index++) hash = Math.imul(hash ^ bytes[index]!, HASH_PRIME)
  return finishHash(hash)
}

/**
 * Calls `callback` with the hash of every token of the UTF-8 text `bytes[start … end)`, in order. Bytes that are not UTF-8 delimit.
 * ASCII is hashed as it is read. A stretch with longer characters is decoded, up to the next ASCII delimiter: no token spans that.
 */
export function forEachTokenHash(
  bytes: Uint8Array,
  start: number,
  end: number,
  callback: (hash: number) => void,
): void {
  let position = start
  while (position < end) {
    let folded = FOLD[bytes[position]!]!
    if (folded === 0) {
      position++
      continue
    }
    const tokenStart = position
    let hash = HASH_SEED
    while (folded !== 0 && folded !== 255) {
      hash = Math.imul(hash ^ folded, HASH_PRIME)
      position++
      folded = position < end ? FOLD[bytes[position]!]! : 0
    }
    if (folded === 0) {
      callback(finishHash(hash))
      continue
    }
    while (position < end && FOLD[bytes[position]!] !== 0) position++
    const stretch = Buffer.from(bytes.buffer, bytes.byteOffset + tokenStart, position - tokenStart).toString('utf8')
    for (const token of tokensOf(stretch)) callback(hashToken(token))
  }
}
