/** `GET /a?b=1 HTTP/1.1`, as web servers and proxies log it: method, target, version. */
import { type Spans, setSpan, setUnlessDash } from './extractor.ts'

export interface RequestFields {
  readonly method: number
  readonly request: number
  readonly httpversion: number
}

/** What is no request line (a probe, half a TLS handshake) stands in `request` as it came. */
export function setRequest(spans: Spans, at: RequestFields, text: string, start: number, end: number): void {
  const methodEnd = upperEnd(text, start, end)
  if (methodEnd === start || text.charCodeAt(methodEnd) !== 32 || methodEnd + 1 >= end) {
    if (end > start) setUnlessDash(spans, at.request, text, start, end)
    return
  }
  const space = text.indexOf(' ', methodEnd + 1)
  const targetEnd = space < 0 || space > end ? end : space
  const versionStart = targetEnd + 6
  const isVersioned = targetEnd < end && text.startsWith('HTTP/', targetEnd + 1) && versionStart < end
  const isBare = targetEnd === end
  if (targetEnd === methodEnd + 1 || !(isBare || (isVersioned && isVersion(text, versionStart, end)))) {
    setSpan(spans, at.request, start, end)
    return
  }
  setSpan(spans, at.method, start, methodEnd)
  setSpan(spans, at.request, methodEnd + 1, targetEnd)
  if (isVersioned) setSpan(spans, at.httpversion, versionStart, end)
}

/** Methods are upper-case letters; WebDAV has some with a dash or an underscore. */
function upperEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end) {
    const code = text.charCodeAt(at)
    if (!((code >= 65 && code <= 90) || code === 45 || code === 95)) break
    at++
  }
  // A dash alone is no method.
  return at === start + 1 && text.charCodeAt(start) === 45 ? start : at
}

function isVersion(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (!((code >= 48 && code <= 57) || code === 46)) return false
  }
  return true
}
