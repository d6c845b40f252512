/** Documents that no part can give back: saved queries, view definitions, keys. On disk in an LMDB environment of their own. */
import * as fs from 'node:fs'
import { BackpressureError, isOutOfRoom } from '../errors.ts'
import type { Filesystem } from '../filesystem.ts'
import type { DocumentStore } from '../index.ts'
import { damageOf, EnvironmentWithRoom } from './environment.ts'
import { collectionRange, documentKey } from './keys.ts'

/** Disks rarely find room sooner. */
const RETRY_SECONDS = 5

export interface OpenDocuments extends DocumentStore {
  /** Why the documents of before are not here, and where they are now; null when they are here. */
  readonly damage: { readonly reason: string; readonly movedTo: string } | null
  close(): Promise<void>
}

/** `asideFor` names where a damaged environment is moved: it is never deleted, for nothing else holds what it held. */
export async function openDocuments(
  filesystem: Filesystem,
  directory: string,
  asideFor: () => string,
): Promise<OpenDocuments> {
  const reason = await damageOf(directory)
  let damage: OpenDocuments['damage'] = null
  if (reason !== null) {
    damage = { reason, movedTo: asideFor() }
    fs.renameSync(directory, damage.movedTo)
  }
  const environment = new EnvironmentWithRoom(directory, filesystem)
  const written: typeof environment.write = async start => {
    try {
      await environment.write(start)
      await environment.flushed()
    } catch (error) {
      // LMDB goes on about its pages behind the first colon.
      const reason = isOutOfRoom(error) ? 'the disk is full' : String((error as Error).message).split(':')[0]
      throw new BackpressureError(`it could not be stored: ${reason}`, RETRY_SECONDS)
    }
  }
  return {
    damage,
    get: (collection, id) => environment.toRead()?.get(documentKey(collection, id)),
    put: async (collection, id, document) => {
      await written(database => database.put(documentKey(collection, id), document))
    },
    delete: async (collection, id) => {
      const key = documentKey(collection, id)
      if (environment.toRead()?.get(key) === undefined) return false
      await written(database => database.remove(key))
      return true
    },
    list: collection => {
      const documents: { id: string; document: unknown }[] = []
      for (const { key, value } of environment.toRead()?.getRange(collectionRange(collection)) ?? []) {
        documents.push({ id: key[1], document: value })
      }
      return documents
    },
    close: () => environment.close(),
  }
}

/** Documents of a store without a directory. They pass through JSON as on disk, so that no one shares an object with the store. */
export function createMemoryDocuments(): OpenDocuments {
  const collections = new Map<string, Map<string, string>>()
  const textOf = (collection: string, id: string) => collections.get(collection)?.get(id)
  return {
    damage: null,
    get: (collection, id) => {
      const text = textOf(collection, id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    put: async (collection, id, document) => {
      let documents = collections.get(collection)
      if (documents === undefined) {
        documents = new Map()
        collections.set(collection, documents)
      }
      documents.set(id, JSON.stringify(document))
    },
    delete: async (collection, id) => collections.get(collection)?.delete(id) ?? false,
    list: collection =>
      [...(collections.get(collection) ?? [])]
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
        .map(([id, text]) => ({ id, document: JSON.parse(text) as unknown })),
    close: async () => {},
  }
}
