/** Text in other clothes: URLs, base64, paths, sizes. */
import { formatDuration } from '../../grammar/literals.ts'
import { Duration, type Value } from '../../storage/value.ts'
import { toDuration } from './conversion.ts'
import { toText } from './format-value.ts'
import { toDouble } from './numbers.ts'

const ESCAPED_BYTES = /(?:%[0-9a-fA-F]{2})+/g

/** Valid escapes are decoded as UTF-8; what is not an escape stays as it is, because logs hold cut-off URLs. */
function urlDecode(value: Value): Value {
  const text = toText(value)
  if (text === null) return null
  return text
    .replaceAll('+', ' ')
    .replace(ESCAPED_BYTES, escaped => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'))
}

/** With `u` the class matches only halves without their other half, which have no UTF-8 form. */
const LONE_SURROGATE = /[\ud800-\udfff]/gu

function urlEncode(value: Value): Value {
  const text = toText(value)
  return text === null ? null : encodeURIComponent(text.replace(LONE_SURROGATE, '\ufffd'))
}

/** An object of the parts that are there; null when the text is no URL. A path without a host is read as one. */
function urlParse(value: Value): Value {
  const text = toText(value)
  if (text === null) return null
  const isRelative = text.startsWith('/')
  let url: URL
  try {
    url = new URL(isRelative ? `http://relative.invalid${text}` : text)
  } catch {
    return null
  }
  const parts: Record<string, Value> = Object.create(null) as Record<string, Value>
  if (!isRelative) {
    parts.scheme = url.protocol.slice(0, -1)
    if (url.username !== '') parts.user = url.username
    parts.host = url.hostname
    if (url.port !== '') parts.port = Number(url.port)
  }
  parts.path = url.pathname
  if (url.search !== '') {
    const query: Record<string, Value> = {}
    // `defineProperty`, because a query may well hold `__proto__=…`.
    for (const [name, text] of url.searchParams) Object.defineProperty(query, name, dataProperty(text))
    parts.query = query
  }
  if (url.hash !== '') parts.fragment = url.hash.slice(1)
  return { ...parts }
}

function dataProperty(value: Value): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

function base64Encode(value: Value): Value {
  const text = toText(value)
  return text === null ? null : Buffer.from(text, 'utf8').toString('base64')
}

/** Both alphabets, padding or not; null when it is not base64. */
function base64Decode(value: Value): Value {
  const text = toText(value)
  if (text === null || !BASE64.test(text) || text.replace(/=+$/, '').length % 4 === 1) return null
  return Buffer.from(text, 'base64').toString('utf8')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const HEX_ID = /^(?=.*\d)[0-9a-f]{8,}$/i

/** A path whose variable segments are named, so that `/users/42` and `/users/7` are one group: `/users/:id`. */
function pathNormalize(value: Value): Value {
  const text = toText(value)
  if (text === null) return null
  const end = text.search(/[?#]/)
  const path = end < 0 ? text : text.slice(0, end)
  return path
    .split('/')
    .map(segment =>
      /^\d+$/.test(segment) ? ':id' : UUID.test(segment) ? ':uuid' : HEX_ID.test(segment) ? ':hex' : segment,
    )
    .join('/')
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** `format_bytes(1536)` is `1.5 KiB`. */
function formatBytes(value: Value): Value {
  const bytes = toDouble(value)
  if (bytes === null) return null
  let size = Math.abs(bytes)
  let unit = 0
  // Compared as it will print, so that 1023.99 KiB does not become "1024 KiB".
  while (unit < BYTE_UNITS.length - 1 && Number(size.toFixed(1)) >= 1024) {
    size /= 1024
    unit++
  }
  return `${bytes < 0 ? '-' : ''}${Number(size.toFixed(1))} ${BYTE_UNITS[unit]}`
}

/** A duration, or a number of seconds, as text. */
function formatDurationValue(value: Value): Value {
  const duration = value instanceof Duration ? value : toDuration(value)
  return duration === null ? null : formatDuration(duration.ns)
}

export const ENCODING_HELPERS = {
  urlDecode,
  urlEncode,
  urlParse,
  base64Encode,
  base64Decode,
  pathNormalize,
  formatBytes,
  formatDuration: formatDurationValue,
}
