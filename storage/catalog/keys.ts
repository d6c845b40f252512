/** The key layouts of the LMDB environments: the only place that knows them. Keys are arrays, ordered element by element. */

/** Sorts after every id that is ordinary text. */
const AFTER_ALL = '\u{10FFFF}'

/** Catalog: one entry per published part, its `PartDescription`. Ids sort by creation, and so do these. */
export function partKey(id: string): [string, string] {
  return ['part', id]
}

/** All part keys lie in `start <= key < end`. */
export const PART_RANGE = { start: ['part'], end: ['part', AFTER_ALL] }

/** Catalog: the sequence number the next event gets. */
export const SEQUENCE_KEY: [string, string] = ['meta', 'sequence']

/** Documents: one entry per document, its JSON text. */
export function documentKey(collection: string, id: string): [string, string] {
  return [collection, id]
}

/** All documents of a collection. */
export function collectionRange(collection: string): { start: [string]; end: [string, string] } {
  return { start: [collection], end: [collection, AFTER_ALL] }
}
