/** logfmt and kv: pairs of names and values. */
import { type Extractor, typedCapture, unquote } from './extractor.ts'

const LOGFMT = /([^\s="]+)=("(?:[^"\\]|\\.)*"|[^\s]*)|([^\s=]+)/g

/** `level=info msg="it works" ready`: a bare word is a flag, true. A text without any pair is not logfmt. */
export const logfmt: Extractor = {
  names: null,
  extract(text, _, emit) {
    if (!text.includes('=')) return 'no key=value pair'
    let pairs = 0
    for (const [, name, value, flag] of text.matchAll(LOGFMT)) {
      if (flag !== undefined) emit(flag, true)
      else if (name !== undefined && value !== undefined) {
        pairs++
        emit(name, isQuoted(value) ? unquote(value) : typedCapture(value))
      }
    }
    return pairs === 0 ? 'no key=value pair' : null
  },
}

export function kv(separator: string, assign: string): Extractor {
  return {
    names: null,
    extract(text, _, emit) {
      let pairs = 0
      for (const piece of text.split(separator)) {
        const at = piece.indexOf(assign)
        if (at <= 0) continue
        const name = piece.slice(0, at).trim()
        if (name === '') continue
        const value = piece.slice(at + assign.length).trim()
        emit(name, isQuoted(value) ? unquote(value) : typedCapture(value))
        pairs++
      }
      return pairs === 0 ? `no pair with '${assign}' between '${separator}'` : null
    },
  }
}

function isQuoted(value: string): boolean {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"')
}
