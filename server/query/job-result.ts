/** The result of a query on its way to becoming a job's: a page is enough while the client waits, everything is kept once it does not. */
import type { Collected, QueryRun } from '../../engine.ts'
import type { Batch } from '../../runtime/batch.ts'
import { Collector } from '../../runtime/collect.ts'
import { withIndexShown } from '../../runtime/event-answer.ts'
import { jsonKeys, objectToJson, rowToJson } from '../../runtime/output/json.ts'
import { rowsOf } from '../../runtime/rows.ts'
import { typeOf, type Value } from '../../storage/value.ts'
import { RowStore } from './row-store.ts'

/** Rows made into text in one step. */
const STEP_ROWS = 128

export class ResultSink {
  readonly #run: QueryRun
  readonly #collector: Collector
  /** Of a table: its rows are in memory anyway, and turned into text only if they become a job's. */
  readonly #batches: Batch[] = []
  #job: JobRows | null = null
  /** What was there before the job was is not its yet. */
  #owesJob = false

  constructor(run: QueryRun, page: { readonly limit: number; readonly offset: number }) {
    this.#run = run
    this.#collector = new Collector(run.shape, page)
  }

  /** Takes a batch, some rows at a time; it may become a job's in between. */
  *pushing(made: Batch): Generator<void> {
    const batch = withIndexShown(made, this.#run.shape)
    if (this.#job === null) {
      if (this.#run.shape.kind !== 'events') this.#batches.push(batch)
      yield* this.#collector.pushing(batch)
      return
    }
    yield* this.finishing()
    yield* this.#job.pushing(batch)
  }

  /** To be called once there are no more batches. */
  *finishing(): Generator<void> {
    if (this.#job === null || !this.#owesJob) return
    this.#owesJob = false
    for (const batch of this.#batches.splice(0)) yield* this.#job.pushing(batch)
    if (this.#run.shape.kind !== 'events') return
    const { columns, rows } = yield* this.collecting()
    yield* this.#job.adding(columns, rows)
  }

  /** From now on every row is kept. False: some have only been counted, and the run has to begin again. */
  keepAll(jobId: string): boolean {
    if (this.#job !== null) return true
    const { shape } = this.#run
    if (shape.kind === 'events' && !this.#collector.hasAll) return false
    this.#job = new JobRows(jobId, shape)
    this.#owesJob = true
    return true
  }

  collecting(): Generator<void, Collected> {
    return this.#collector.collecting(this.#run.profile)
  }

  get job(): JobRows | null {
    return this.#job
  }
}

/** All rows of a result, and what is said of them as a whole. */
export class JobRows {
  readonly #shape: QueryRun['shape']
  readonly #rows: RowStore
  #columns: readonly string[]
  readonly #types: Set<string>[] = []

  constructor(jobId: string, shape: QueryRun['shape']) {
    this.#shape = shape
    this.#rows = new RowStore(jobId)
    this.#columns = shape.columns?.map(column => column.name) ?? []
  }

  get total(): number {
    return this.#rows.count
  }

  pushing(batch: Batch): Generator<void> {
    return this.adding(batch.names, rowsOf(batch))
  }

  *adding(names: readonly string[], rows: Iterable<readonly Value[]>): Generator<void> {
    const isEvents = this.#shape.kind === 'events'
    const keys = jsonKeys(names)
    if (!isEvents && this.#shape.columns === null) this.#columns = names
    for (const row of rows) {
      if (!isEvents) this.#noteTypes(row)
      this.#rows.add(isEvents ? objectToJson(keys, row) : rowToJson(row))
      if (this.#rows.count % STEP_ROWS === 0) yield
    }
  }

  /** `data` of an answer, as JSON text. */
  pageText(limit: number, offset: number): string {
    const { kind, interval } = this.#shape
    const rows = this.#rows.page(limit, offset).join(',')
    const hasMore = this.total > offset + limit
    if (kind === 'events') return `{"type":"events","events":[${rows}],"total":${this.total},"has_more":${hasMore}}`
    const types = this.#columns.map((_, index) => nameOfTypes(this.#typesOf(index)))
    const chart = kind === 'timechart' ? `"interval":${JSON.stringify(interval)},` : ''
    return (
      `{"type":"${kind}",${chart}"columns":${JSON.stringify(this.#columns)},"types":${JSON.stringify(types)},` +
      `"rows":[${rows}],"total_rows":${this.total},"has_more":${hasMore}}`
    )
  }

  close(): void {
    this.#rows.close()
  }

  #noteTypes(row: readonly Value[]): void {
    for (const [index, value] of row.entries())
      if (value !== null && value !== undefined) this.#typesOf(index).add(typeOf(value))
  }

  #typesOf(column: number): Set<string> {
    this.#types[column] ??= new Set()
    return this.#types[column]
  }
}

/** As on a page of an answer: the one type, `float` for a mixture of numbers, `any` for any other. */
function nameOfTypes(types: ReadonlySet<string>): string {
  if (types.size === 2 && types.has('int') && types.has('float')) return 'float'
  return types.size === 0 ? 'null' : types.size === 1 ? [...types][0]! : 'any'
}
