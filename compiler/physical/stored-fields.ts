/** Which fields are columns of storage, and why the others are not. */
import type { Catalog } from '../catalog.ts'
import type { ScanOp } from '../logical/ops.ts'
import type { WhyNotStored } from './split-predicate.ts'

/** A field that reads as an object assembled from `field.…` is in no column; nor can it be ruled out when nothing is known. */
export function storedIn(catalog: Catalog, scan: Pick<ScanOp, 'indexes' | 'lookup'>): WhyNotStored {
  const stored = scan.lookup === null ? catalog.fields(scan.indexes) : (catalog.lookup(scan.lookup)?.columns ?? null)
  return field => {
    if (field === 'index') return 'index is no column: whole parts are chosen by it, after from'
    if (stored === null) return 'of a pipe nothing is known before it is read'
    for (const name of stored.keys()) {
      if (name.startsWith(`${field}.`)) return `${field} is an object put together from ${name} and its like`
    }
    return null
  }
}
