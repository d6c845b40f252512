/** One merge as it can be told to another thread, and how it is done wherever that is. */
import type { Filesystem } from '../filesystem.ts'
import type { Codec } from '../index.ts'
import { createChunkCache } from '../part/chunk-cache.ts'
import type { PartDescription, PartLineage } from '../part/columns.ts'
import { openPart } from '../part/read.ts'
import { MERGE_LAYOUT } from './layout.ts'
import { MERGE_CACHE_BYTES, mergeParts } from './merge.ts'

export interface MergeJob {
  readonly directory: string
  /** Of the new part. */
  readonly id: string
  /** Ids of the inputs, in order of creation. */
  readonly inputs: readonly string[]
  readonly lineage: PartLineage
  readonly blockRows: number
  readonly codec: Codec
  /** Of the inputs together. */
  readonly sizeBytes: number
}

/** Does the job a step at a time. @throws {CorruptPartError} naming the damaged part */
export function* mergeSteps(filesystem: Filesystem, job: MergeJob): Generator<void, PartDescription> {
  const { directory, id, lineage, blockRows, codec } = job
  const layout = { ...MERGE_LAYOUT, blockRows, compression: { ...MERGE_LAYOUT.compression, codec } }
  const cache = createChunkCache(MERGE_CACHE_BYTES)
  const inputs: ReturnType<typeof openPart>[] = []
  try {
    for (const input of job.inputs) inputs.push(openPart(filesystem, `${directory}/${input}.part`, cache))
    // Synced whatever the setting for new parts says: the inputs will be gone.
    const request = { id, inputs, lineage, layout, fsync: true }
    return yield* mergeParts(filesystem, directory, request)
  } finally {
    for (const input of inputs) input.close()
  }
}
