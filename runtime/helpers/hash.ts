/** Digests of a value's text, in lower-case hex. */
import { createHash } from 'node:crypto'
import xxhash from 'xxhash-wasm'
import type { Value } from '../../storage/value.ts'
import { toText } from './format-value.ts'

// Awaited once at load: helpers are synchronous.
const { h64ToString } = await xxhash()

function digest(algorithm: 'md5' | 'sha1' | 'sha256'): (value: Value) => Value {
  return value => {
    const text = toText(value)
    return text === null ? null : createHash(algorithm).update(text, 'utf8').digest('hex')
  }
}

function xxhash64(value: Value): Value {
  const text = toText(value)
  return text === null ? null : h64ToString(text)
}

export const HASH_HELPERS = { md5: digest('md5'), sha1: digest('sha1'), sha256: digest('sha256'), xxhash64 }
