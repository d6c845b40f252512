/**
 * API keys: what may be done with which secret. Only a salted hash of a secret is stored; the secret itself is shown once, when its key
 * is made. Secrets are 190 random bits, so a fast hash is as good as a slow one: there is nothing to guess.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DocumentStore } from '../../storage/index.ts'
import { RequestError } from '../errors.ts'

export const KEY_SCOPES = ['query', 'ingest', 'admin'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** As stored. `root` keys may do everything. */
export interface KeyRecord {
  readonly id: string
  readonly name: string
  readonly root: boolean
  readonly scopes: readonly KeyScope[]
  readonly salt: string
  readonly hash: string
  readonly created_at: string
  readonly expires_at: string | null
}

export interface CreatedKey {
  readonly record: KeyRecord
  /** Shown now or never. */
  readonly token: string
}

const COLLECTION = 'keys'
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Verified secrets kept as their digest, so that a request costs one hash and a look-up. */
const VERIFIED_MAX = 10_000

export class KeyRing {
  readonly #documents: DocumentStore
  readonly #clock: () => number
  readonly #records = new Map<string, KeyRecord>()
  readonly #verified = new Map<string, string>()

  constructor(documents: DocumentStore, clock: () => number) {
    this.#documents = documents
    this.#clock = clock
    for (const { id, document } of documents.list(COLLECTION)) this.#records.set(id, document as KeyRecord)
  }

  /** Without secrets, oldest first. */
  list(): readonly KeyRecord[] {
    return [...this.#records.values()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  }

  /** Makes the first root key; null when there is one already. */
  async bootstrap(): Promise<CreatedKey | null> {
    if (this.#rootKeys().length > 0) return null
    return this.#make({ name: 'root', root: true, scopes: [], expires_at: null })
  }

  create(name: string, scopes: readonly KeyScope[], expiresInMs: number | null): Promise<CreatedKey> {
    const expires_at = expiresInMs === null ? null : new Date(this.#clock() + expiresInMs).toISOString()
    return this.#make({ name, root: false, scopes, expires_at })
  }

  /** The new root key takes over from all others, and they end. */
  async rotateRoot(): Promise<CreatedKey> {
    const old = this.#rootKeys()
    const created = await this.#make({ name: 'root', root: true, scopes: [], expires_at: null })
    for (const { id } of old) await this.#remove(id)
    return created
  }

  /** @throws {RequestError} NOT_FOUND, LAST_ROOT_KEY */
  async delete(id: string): Promise<void> {
    const record = this.#records.get(id)
    if (record === undefined) throw new RequestError('NOT_FOUND', `there is no key ${id}`)
    if (record.root && this.#rootKeys().length === 1)
      throw new RequestError('LAST_ROOT_KEY', 'the last root key cannot be deleted', {
        suggestion: 'POST /api/v1/auth/rotate-root replaces it',
      })
    await this.#remove(id)
  }

  /** The key of a secret; null when there is none, or no longer. Every hash is compared, in constant time, whatever matches. */
  find(token: string): KeyRecord | null {
    const digest = createHash('sha256').update(token).digest('base64')
    const known = this.#verified.get(digest)
    let found = known === undefined ? undefined : this.#records.get(known)
    if (found === undefined) {
      for (const record of this.#records.values()) {
        const isSame = timingSafeEqual(hashOf(token, record.salt), Buffer.from(record.hash, 'base64'))
        if (isSame) found = record
      }
      if (found === undefined) return null
      if (this.#verified.size >= VERIFIED_MAX) this.#verified.clear()
      this.#verified.set(digest, found.id)
    }
    const isExpired = found.expires_at !== null && Date.parse(found.expires_at) <= this.#clock()
    return isExpired ? null : found
  }

  #rootKeys(): KeyRecord[] {
    return [...this.#records.values()].filter(record => record.root)
  }

  async #make(what: Pick<KeyRecord, 'name' | 'root' | 'scopes' | 'expires_at'>): Promise<CreatedKey> {
    const token = `${what.root ? 'qk_root_' : 'qk_'}${randomText(32)}`
    const salt = randomBytes(16).toString('base64')
    const record: KeyRecord = {
      id: `${what.root ? 'rk_' : 'ak_'}${randomText(12)}`,
      ...what,
      salt,
      hash: hashOf(token, salt).toString('base64'),
      created_at: new Date(this.#clock()).toISOString(),
    }
    await this.#documents.put(COLLECTION, record.id, record)
    this.#records.set(record.id, record)
    return { record, token }
  }

  async #remove(id: string): Promise<void> {
    // Whoever holds it is shut out even if the disk refuses to forget it now.
    this.#records.delete(id)
    this.#verified.clear()
    await this.#documents.delete(COLLECTION, id)
  }
}

function hashOf(token: string, salt: string): Buffer {
  return createHash('sha256').update(salt).update(token).digest()
}

/** Letters and digits, each equally likely. */
function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: what is above would favour the first letters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}
