/**
 * `?_token=…`, for browsers' EventSource and WebSocket, which cannot set headers. It is taken out of the address before anything routes,
 * validates or logs it.
 */
import type { IncomingMessage } from 'node:http'

const TOKENS = new WeakMap<IncomingMessage, string>()

/** The address without the parameter; the token is remembered for `tokenParameterOf`. */
export function stripTokenParameter(request: IncomingMessage): string {
  const url = request.url ?? '/'
  const question = url.indexOf('?')
  // An encoded `_` or letter is the same name, and must not end up in a log either.
  if (question < 0 || !/_|%5f/i.test(url)) return url
  const kept: string[] = []
  for (const pair of url.slice(question + 1).split('&')) {
    const equals = pair.indexOf('=')
    if (decoded(equals < 0 ? pair : pair.slice(0, equals)) === '_token') {
      TOKENS.set(request, decoded(equals < 0 ? '' : pair.slice(equals + 1)))
    } else kept.push(pair)
  }
  const path = url.slice(0, question)
  request.url = kept.length === 0 ? path : `${path}?${kept.join('&')}`
  return request.url
}

export function tokenParameterOf(request: IncomingMessage): string | undefined {
  return TOKENS.get(request)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // Not an encoding: then it is what it says.
    return text
  }
}
