/** URLs, mail addresses and host names. Each function says where the one that begins at `at` ends, or -1. */
import { ALNUM, bytesOf, CLASS, classAt, LETTER, SPACE, WORD } from './bytes.ts'

const DOT = 0x2e
const MINUS = 0x2d
const SLASH = 0x2f
const COLON = 0x3a
const AT = 0x40
const PERCENT = 0x25
const PLUS = 0x2b

/** What a URL never holds in a log line: it is quoted, bracketed or followed by these. */
const ENDS_URL = bytesOf(`"'<>()[]{},;`)
/** Of the run a name is. */
export const isInName: Uint8Array = bytesOf('._+%-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
const TRAILING = bytesOf('.:!?')

/** What the last label of a host is: a general domain, or with two dots before it that of a country. */
const DOMAINS: ReadonlySet<number> = labels(
  'com net org edu gov mil int info biz io dev app cloud local lan internal corp',
)
const COUNTRIES: ReadonlySet<number> = labels(
  'ar at au be br ca ch cl cn co cz de dk es eu fi fr gr hk hu id ie il in ir it jp kr mx my nl no nz pl pt ro ru se sg th tr tw ua uk us vn za',
)

/** Labels by the numbers `packedLabel` gives them. */
export function labels(text: string): ReadonlySet<number> {
  return new Set(text.split(' ').map(label => packedLabel(Buffer.from(label), 0, label.length)))
}

/** A number for a label of up to eight letters, whatever their case. */
export function packedLabel(bytes: Uint8Array, at: number, end: number): number {
  if (end - at > 8) return -1
  let packed = 0
  for (let place = at; place < end; place++) {
    if ((CLASS[bytes[place]!]! & LETTER) === 0) return -1
    packed = packed * 32 + (bytes[place]! & 0x1f)
  }
  return packed
}

/** Where a run of letters, digits and `._+%-` ends. URLs, mail addresses and hosts begin with one, and only where one begins. */
export function nameEnd(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  while (place < end && isInName[bytes[place]!] === 1) place++
  return place
}

/** `https://example.com/a?b=c`: a name, `://`, and all that follows but a full stop at its end. The name ends at `name`. */
export function url(bytes: Uint8Array, at: number, name: number, end: number): number {
  if ((CLASS[bytes[at]!]! & LETTER) === 0) return -1
  if (name + 2 >= end || bytes[name] !== COLON || bytes[name + 1] !== SLASH || bytes[name + 2] !== SLASH) return -1
  if ((CLASS[bytes[name - 1]!]! & ALNUM) === 0) return -1
  let place = name + 3
  while (place < end && ENDS_URL[bytes[place]!] === 0 && CLASS[bytes[place]!] !== SPACE) place++
  return withoutTrailing(bytes, at, place)
}

/** Sentences go on, or end, behind what they name. */
export function withoutTrailing(bytes: Uint8Array, at: number, end: number): number {
  let place = end
  while (place > at && TRAILING[bytes[place - 1]!] === 1) place--
  return place
}

/** `name@example.com`; the name before the `@` ends at `name`. */
export function email(bytes: Uint8Array, name: number, end: number): number {
  if (name >= end || bytes[name] !== AT) return -1
  let place = name + 1
  let labelCount = 0
  for (;;) {
    const start = place
    while (place < end && isInLabel(bytes[place]!)) place++
    if (place === start) break
    labelCount++
    if (place + 1 < end && bytes[place] === DOT && isInLabel(bytes[place + 1]!)) place++
    else break
  }
  return labelCount >= 2 && (classAt(bytes, place, end) & WORD) === 0 ? place : -1
}

function isInLabel(byte: number): boolean {
  return (CLASS[byte]! & ALNUM) !== 0 || byte === MINUS
}

/**
 * `www.example.com`, `host-7.dc1.example.co.uk`: dotted, and its last label is a domain's. What begins with a domain is a package
 * (`com.example.io`), what goes on behind the last label is a path or an address. The run of letters ends at `name`.
 */
export function host(bytes: Uint8Array, at: number, name: number, end: number): number {
  let stop = name
  while (stop > at && bytes[stop - 1] === DOT) stop--
  let last = stop
  while (last > at && stop - last < 9 && (CLASS[bytes[last - 1]!]! & LETTER) !== 0) last--
  if (last <= at + 1 || bytes[last - 1] !== DOT) return -1
  const label = packedLabel(bytes, last, stop)
  if (!DOMAINS.has(label) && !COUNTRIES.has(label)) return -1
  const after = name < end ? bytes[name]! : 0
  if (after >= 0x80 || after === SLASH || after === AT) return -1
  let dots = 0
  let first = stop
  for (let place = at; place < stop; place++) {
    const byte = bytes[place]!
    if (byte === PERCENT || byte === PLUS) return -1
    if (byte !== DOT) continue
    if (bytes[place + 1] === DOT) return -1
    if (dots === 0) first = place
    dots++
  }
  if (DOMAINS.has(packedLabel(bytes, at, first))) return -1
  return DOMAINS.has(label) || dots >= 2 ? stop : -1
}
