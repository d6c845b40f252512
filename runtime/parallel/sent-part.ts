/** A part of this thread's memory on its way to another thread, and what it is there: columns, and no more known of them than where time lies. */
import { Packer, Unpacker } from '../../storage/build/handover.ts'
import type { BlockReader, PartReader } from '../../storage/index.ts'
import { verdictOfTime } from '../../storage/ingest/memory-verdict.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import { pickRows } from '../../storage/pick.ts'
import { sharedMemory } from '../../storage/spare-memory.ts'
import { DateTime } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import { isMember } from '../object-fields.ts'
import type { SentPart, SentTime } from './messages.ts'

export interface Sending {
  readonly part: SentPart
  /** What long columns were copied to: `sharedMemory`, to be given back. */
  readonly memory: readonly SharedArrayBuffer[]
}

/** Copies what a query reads of a part, little by little. */
export function* sending(part: PartReader, fieldsRead: readonly string[]): Generator<void, Sending> {
  const packer = new Packer(bytes => sharedMemory.take(bytes))
  const memory: SharedArrayBuffer[] = []
  const blocks: SentPart['blocks'][number][] = []
  const fields = part.fields.filter(({ name }) => name === '_time' || fieldsRead.some(read => concerns(read, name)))
  for (let at = 0; at < part.blockCount; at++) {
    const block = part.block(at)
    const columns = new Map<string, Vector>()
    for (const { name } of fields) {
      const vector = block.column(name)
      if (vector !== null) columns.set(name, vector)
    }
    const message = yield* packer.packSteps({ rowCount: block.rowCount, columns })
    memory.push(...message.memory)
    const { timeSorted } = block
    blocks.push({ packed: message.block, min: sentTime(block.minTime), max: sentTime(block.maxTime), timeSorted })
    yield
  }
  const { id, index, sizeBytes } = part
  return { part: { id, index, sizeBytes, fields, blocks }, memory }
}

/** A field itself, a member of it, the object it is a member of. */
function concerns(read: string, name: string): boolean {
  return read === name || isMember(read, name) || isMember(name, read)
}

function sentTime({ micros, nanos }: DateTime): SentTime {
  return [micros, nanos]
}

export function receivedPart({ id, index, sizeBytes, fields, blocks: sent }: SentPart): PartReader {
  const unpacker = new Unpacker()
  const blocks = sent.map(
    ({ packed, min, max, timeSorted }) =>
      new ReceivedBlock(unpacker.unpack(packed), new DateTime(...min), new DateTime(...max), timeSorted),
  )
  const [first] = blocks
  if (first === undefined) throw new Error(`part ${id} was sent without blocks`)
  return {
    // Nobody else can read it.
    path: null,
    id,
    index,
    sizeBytes,
    fields,
    rowCount: blocks.reduce((rows, block) => rows + block.rowCount, 0),
    blockCount: blocks.length,
    firstSequence: 0,
    lastSequence: 0,
    minTime: blocks.reduce((least, { minTime }) => (minTime.micros < least.micros ? minTime : least), first.minTime),
    maxTime: blocks.reduce((most, { maxTime }) => (maxTime.micros > most.micros ? maxTime : most), first.maxTime),
    block(at) {
      const block = blocks[at]
      if (block === undefined) throw new RangeError(`part ${id} has ${blocks.length} blocks, not ${at + 1}`)
      return block
    },
  }
}

class ReceivedBlock implements BlockReader {
  readonly rowCount: number
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly timeSorted: boolean
  readonly #columns: BlockColumns['columns']

  constructor({ rowCount, columns }: BlockColumns, minTime: DateTime, maxTime: DateTime, timeSorted: boolean) {
    this.rowCount = rowCount
    this.minTime = minTime
    this.maxTime = maxTime
    this.timeSorted = timeSorted
    this.#columns = columns
  }

  verdict(): 'some' {
    return 'some'
  }

  verdictTime(range: Parameters<BlockReader['verdictTime']>[0]): ReturnType<BlockReader['verdictTime']> {
    return verdictOfTime({ min: this.minTime, max: this.maxTime, sorted: this.timeSorted }, range)
  }

  column(field: string): Vector | null {
    return this.#columns.get(field) ?? null
  }

  rows(field: string, rows: Uint32Array): Vector | null {
    const vector = this.column(field)
    return vector === null ? null : pickRows(vector, rows)
  }

  madeOf(): null {
    return null
  }

  statistics(): null {
    return null
  }

  columnBytes(): number {
    return 0
  }
}
