/**
 * May this caller do this? Asked once per request by `app.ts`, with the scope the route table names, and by every listener that takes
 * events or gives data without passing through it (gRPC, syslog, WebSocket).
 */
import { RequestError } from '../errors.ts'
import type { Scope } from '../routes/route.ts'
import type { KeyRecord, KeyRing } from './keys.ts'

/** What a caller brought along, wherever it was written. */
export interface Credentials {
  /** The Authorization header, or what stands for it. */
  readonly authorization: string | undefined
  /** `_token` of the address, or a bare token. */
  readonly token?: string | undefined
}

/** Who asks: rate limits count by it and logs name it. */
export interface Caller {
  readonly keyId: string
}

export class Authority {
  readonly keys: KeyRing

  constructor(keys: KeyRing) {
    this.keys = keys
  }

  /** @throws {RequestError} AUTH_REQUIRED, INVALID_TOKEN or FORBIDDEN; the message holds nothing of what was sent. */
  authorize(credentials: Credentials, scope: Scope): Caller | null {
    if (scope === 'open') return null
    const given = secretOf(credentials)
    if (given === null) {
      throw new RequestError('AUTH_REQUIRED', 'this needs an API key', {
        suggestion: 'send the header Authorization: Bearer <token>',
        headers: { 'WWW-Authenticate': 'Bearer realm="quern", ApiKey, Basic realm="quern"' },
      })
    }
    const key = this.keys.find(given.token)
    if (key === null || (given.id !== null && given.id !== key.id)) throw invalidToken()
    if (!allows(key, scope)) {
      const held = key.scopes.join(', ') || 'none'
      throw new RequestError('FORBIDDEN', `this needs a key with the scope ${scope}; key ${key.id} has ${held}`)
    }
    return { keyId: key.id }
  }
}

/** A root key may do everything, admin everything but keys and PATCH /config. */
function allows(key: KeyRecord, scope: Exclude<Scope, 'open'>): boolean {
  if (key.root) return true
  if (scope === 'root') return false
  return key.scopes.includes('admin') || key.scopes.includes(scope)
}

interface Secret {
  /** Of the scheme ApiKey: the id the secret must belong to. */
  readonly id: string | null
  readonly token: string
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/**
 * `Bearer <token>`, `ApiKey <base64(id:secret)>`, `Basic <base64(user:token)>`, and a vendor's scheme word followed by the token
 * (`Splunk <token>`). Null: nothing was sent.
 *
 * @throws {RequestError} INVALID_TOKEN when something was sent that holds no secret
 */
function secretOf({ authorization, token }: Credentials): Secret | null {
  const header = authorization?.trim()
  if (header === undefined || header === '') return token === undefined || token === '' ? null : { id: null, token }
  const space = header.indexOf(' ')
  if (space < 0) throw invalidToken()
  const scheme = header.slice(0, space).toLowerCase()
  const rest = header.slice(space + 1).trim()
  if (rest === '') throw invalidToken()
  if (scheme !== 'apikey' && scheme !== 'basic') return { id: null, token: rest }
  if (!BASE64.test(rest)) throw invalidToken()
  const text = Buffer.from(rest, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) throw invalidToken()
  return { id: scheme === 'apikey' ? text.slice(0, colon) : null, token: text.slice(colon + 1) }
}

function invalidToken(): RequestError {
  return new RequestError('INVALID_TOKEN', 'the credentials are not valid, or no longer', {
    headers: { 'WWW-Authenticate': 'Bearer realm="quern", error="invalid_token"' },
  })
}
