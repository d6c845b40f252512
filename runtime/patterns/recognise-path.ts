/** Paths of files and requests. Each function says where the one that begins at `at` ends, or -1. */
import { bytesOf, CLASS, DIGIT, LETTER, SPACE } from './bytes.ts'
import { withoutTrailing } from './recognise-name.ts'

const SLASH = 0x2f
const BACKSLASH = 0x5c
const COLON = 0x3a
const QUESTION = 0x3f

const ENDS_PATH = bytesOf(`"'<>()[]{},;:=|?`)
const ENDS_QUERY = bytesOf(`"'<>()[]{},;|`)
const ENDS_WINDOWS_PATH = bytesOf(`"'<>()|,;`)
/** A slash behind these begins a path; behind a word or a number it divides. */
const BEFORE_PATH = bytesOf(`"'([{<=,;:|`)

/** `/etc/passwd`, `/v2/servers?limit=10`; `/24`, `/10.0.0.1` and a slash alone are none. `before` is the byte before it, a blank at the start. */
export function path(bytes: Uint8Array, at: number, end: number, before: number): number {
  if ((CLASS[before]! & SPACE) === 0 && BEFORE_PATH[before] === 0) return -1
  const first = at + 1 < end ? bytes[at + 1]! : SLASH
  if (first === SLASH || first === 0x2a || (CLASS[first]! & (DIGIT | SPACE)) !== 0) return -1
  let place = at + 1
  while (place < end && ENDS_PATH[bytes[place]!] === 0 && (CLASS[bytes[place]!]! & SPACE) === 0) place++
  if (place === at + 1) return -1
  if (place < end && bytes[place] === QUESTION) {
    while (place < end && ENDS_QUERY[bytes[place]!] === 0 && (CLASS[bytes[place]!]! & SPACE) === 0) place++
  }
  const stop = withoutTrailing(bytes, at, place)
  return stop > at + 1 ? stop : -1
}

/** `C:\Windows\System32\ntdll.dll` */
export function windowsPath(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 >= end || bytes[at + 1] !== COLON || bytes[at + 2] !== BACKSLASH || (CLASS[bytes[at]!]! & LETTER) === 0)
    return -1
  let place = at + 3
  while (place < end && ENDS_WINDOWS_PATH[bytes[place]!] === 0 && (CLASS[bytes[place]!]! & SPACE) === 0) place++
  return withoutTrailing(bytes, at + 3, place)
}
