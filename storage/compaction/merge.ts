/**
 * Several parts become one: rows in order of time, read and written a column of a block at a time, so that memory does not grow with
 * the parts. The new file is read back and compared with what went into it before it gets its name.
 */
import { CorruptPartError } from '../errors.ts'
import type { Filesystem } from '../filesystem.ts'
import type { PartReader } from '../index.ts'
import { bytesOfVector, createChunkCache } from '../part/chunk-cache.ts'
import type { BlockColumns, PartDescription, PartLineage } from '../part/columns.ts'
import { openPart } from '../part/read.ts'
import type { ThinColumn } from '../part/thin.ts'
import { writePartSteps } from '../part/write.ts'
import type { Vector } from '../vector.ts'
import { hashColumn, hashThin } from './column-hash.ts'
import { gatherColumn } from './gather.ts'
import { gatherThin } from './gather-thin.ts'
import type { MergeLayout } from './layout.ts'
import { mergeOrder, type RowSelection } from './merge-order.ts'

export interface MergeRequest {
  /** Of the new part. */
  readonly id: string
  /** Of one index and one UTC day, in order of creation. */
  readonly inputs: readonly PartReader[]
  readonly lineage: PartLineage
  readonly layout: MergeLayout
  readonly fsync: boolean
}

/** Decoded columns of the inputs kept for the next block: rows of one input block mostly go to two. */
export const MERGE_CACHE_BYTES = 32 * 1024 * 1024

/**
 * Writes the merged part into `directory`, a column between two steps. Giving up between two leaves no file.
 * @throws {CorruptPartError} naming the input that is damaged, or the new part when it does not read as it was written
 */
export function* mergeParts(
  filesystem: Filesystem,
  directory: string,
  request: MergeRequest,
): Generator<void, PartDescription> {
  const { id, inputs, lineage, layout, fsync } = request
  const [first] = inputs
  if (first === undefined) throw new RangeError('nothing to merge')
  const names = fieldNames(inputs)
  const written: WrittenBlock[] = []
  const blocks = (function* () {
    for (const selection of mergeOrder(inputs, layout.blockRows)) {
      const block = new MergedBlock(selection, names)
      const order = layout.order(block)
      if (order !== null) block.reorder(order)
      written.push(block.written)
      yield block
    }
  })()
  const check = (path: string) => compare(filesystem, path, id, written)
  const description = yield* writePartSteps(filesystem, directory, {
    id,
    index: first.index,
    blocks,
    fsync,
    compression: layout.compression,
    lineage,
    check,
  })
  return description
}

/** `_time` and `_raw` first, as everywhere; then in order of first appearance. */
function fieldNames(parts: readonly PartReader[]): readonly string[] {
  const names = new Set(['_time', '_raw'])
  for (const part of parts) for (const { name } of part.fields) names.add(name)
  return [...names]
}

/** What a block must read as. */
interface WrittenBlock {
  readonly rowCount: number
  readonly hashes: Map<string, number>
}

/** Gathered columns of a block kept until it is written: `_raw` is rebuilt from the others. Beyond this they are gathered again. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024

class MergedBlock implements BlockColumns {
  readonly rowCount: number
  readonly columns: ReadonlyMap<string, Vector>
  readonly written: WrittenBlock
  private readonly names: readonly string[]
  private thinColumns: ReadonlyMap<string, ThinColumn> | null = null
  private sources: RowSelection['sources']
  private readonly kept = new Map<string, Vector | null>()
  private keptBytes = 0

  constructor({ rowCount, sources }: RowSelection, names: readonly string[]) {
    this.rowCount = rowCount
    this.sources = sources
    this.names = names
    this.written = { rowCount, hashes: new Map() }
    this.columns = new LazyColumns(
      () => names.filter(name => !this.thin.has(name)),
      name => this.column(name),
    )
  }

  /** Gathered when first asked for: few values, however many fields. */
  get thin(): ReadonlyMap<string, ThinColumn> {
    if (this.thinColumns === null) {
      this.thinColumns = gatherThin(this.rowCount, this.sources, this.names)
      for (const [name, thin] of this.thinColumns) this.written.hashes.set(name, hashThin(thin))
    }
    return this.thinColumns
  }

  reorder(order: Uint32Array): void {
    this.sources = reordered(this.rowCount, this.sources, order)
    this.kept.clear()
    this.keptBytes = 0
    this.thinColumns = null
    this.written.hashes.clear()
  }

  private column(name: string): Vector | null {
    const held = this.kept.get(name)
    if (held !== undefined) return held
    const vector = gatherColumn(this.rowCount, this.sources, ({ block }) => block.column(name))
    if (!this.written.hashes.has(name)) this.written.hashes.set(name, hashColumn(vector))
    const bytes = vector === null ? 0 : bytesOfVector(vector)
    if (this.keptBytes + bytes <= KEPT_BYTES_MAX || name === '_time') {
      this.kept.set(name, vector)
      this.keptBytes += bytes
    }
    return vector
  }
}

/** Rows of the block in the order `order` says, still told as runs. */
function reordered(rowCount: number, sources: RowSelection['sources'], order: Uint32Array): RowSelection['sources'] {
  const sourceOf = new Uint32Array(rowCount)
  const rowOf = new Uint32Array(rowCount)
  for (const [number, { runs }] of sources.entries()) {
    for (let run = 0; run < runs.length; run += 3) {
      for (let at = 0; at < runs[run + 2]!; at++) {
        sourceOf[runs[run + 1]! + at] = number
        rowOf[runs[run + 1]! + at] = runs[run]! + at
      }
    }
  }
  const isTaken = new Uint8Array(rowCount)
  const runsOf: number[][] = sources.map(() => [])
  if (order.length !== rowCount) throw new RangeError(`an order of ${order.length} rows for ${rowCount}`)
  for (let row = 0; row < rowCount; row++) {
    const from = order[row]!
    if (from >= rowCount || isTaken[from] === 1) throw new RangeError(`row ${from} twice in the order of a block`)
    isTaken[from] = 1
    const runs = runsOf[sourceOf[from]!]!
    const last = runs.length - 3
    if (last >= 0 && runs[last]! + runs[last + 2]! === rowOf[from] && runs[last + 1]! + runs[last + 2]! === row) {
      runs[last + 2]!++
    } else runs.push(rowOf[from]!, row, 1)
  }
  return sources.map(({ block }, number) => ({ block, runs: runsOf[number]! }))
}

/** @throws {CorruptPartError} when a block of the file does not say what it was made of. */
function* compare(filesystem: Filesystem, path: string, id: string, written: readonly WrittenBlock[]): Generator<void> {
  const part = openPart(filesystem, path, createChunkCache(MERGE_CACHE_BYTES))
  try {
    if (part.blockCount !== written.length) throw new CorruptPartError(id, 0, `${part.blockCount} blocks were written`)
    for (const [number, { rowCount, hashes }] of written.entries()) {
      const block = part.block(number)
      if (block.rowCount !== rowCount) throw new CorruptPartError(id, 0, `block ${number} has ${block.rowCount} rows`)
      for (const [name, hash] of hashes) {
        if (hash === 0 && block.columnBytes(name) === 0) continue
        const thin = block.thin?.(name) ?? null
        if ((thin === null ? hashColumn(block.column(name)) : hashThin(thin)) !== hash) {
          throw new CorruptPartError(id, 0, `${name} in block ${number} does not read as it was merged`)
        }
        yield
      }
    }
  } finally {
    part.close()
  }
}

/** Columns made when they are asked for; a null one is none. */
class LazyColumns implements ReadonlyMap<string, Vector> {
  private readonly names: () => readonly string[]
  private readonly columnOf: (name: string) => Vector | null

  constructor(names: () => readonly string[], columnOf: (name: string) => Vector | null) {
    this.names = names
    this.columnOf = columnOf
  }

  get size(): number {
    return [...this].length
  }

  get(name: string): Vector | undefined {
    return this.columnOf(name) ?? undefined
  }

  has(name: string): boolean {
    return this.columnOf(name) !== null
  }

  forEach(visit: (value: Vector, key: string, map: ReadonlyMap<string, Vector>) => void): void {
    for (const [name, vector] of this) visit(vector, name, this)
  }

  *keys(): MapIterator<string> {
    for (const [name] of this) yield name
  }

  *values(): MapIterator<Vector> {
    for (const [, vector] of this) yield vector
  }

  *entries(): MapIterator<[string, Vector]> {
    for (const name of this.names()) {
      const vector = this.columnOf(name)
      if (vector !== null) yield [name, vector]
    }
  }

  [Symbol.iterator](): MapIterator<[string, Vector]> {
    return this.entries()
  }
}
