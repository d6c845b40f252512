/** The result of a query on its way to becoming a job's: a page is enough while the client waits, everything is kept once it does not. */
import type { Collected, QueryRun } from '../../engine.ts'
import type { Batch } from '../../runtime/batch.ts'
import { Collector } from '../../runtime/collect.ts'
import { withIndexShown } from '../../runtime/event-answer.ts'
import { jsonKeys, objectToJson, rowToJson } from '../../runtime/output/json.ts'
import { rowsOf } from '../../runtime/rows.ts'
import { typeOf, type Value } from '../../storage/value.ts'
import { RowStore } from './row-store.ts'

export class ResultSink {
  readonly #run: QueryRun
  readonly #collector: Collector
  /** Of a table: its rows are in memory anyway, and turned into text only if they become a job's. */
  readonly #batches: Batch[] = []
  #job: JobRows | null = null

  constructor(run: QueryRun, page: { readonly limit: number; readonly offset: number }) {
    this.#run = run
    this.#collector = new Collector(run.shape, page)
  }

  push(made: Batch): void {
    const batch = withIndexShown(made, this.#run.shape)
    if (this.#job !== null) {
      this.#job.push(batch)
      return
    }
    this.#collector.push(batch)
    if (this.#run.shape.kind !== 'events') this.#batches.push(batch)
  }

  /** From now on every row is kept. False: some have only been counted, and the run has to begin again. */
  keepAll(jobId: string): boolean {
    if (this.#job !== null) return true
    const { shape, profile } = this.#run
    if (shape.kind === 'events' && !this.#collector.hasAll) return false
    this.#job = new JobRows(jobId, shape)
    if (shape.kind === 'events') {
      const { columns, rows } = this.#collector.collected(profile)
      this.#job.addRows(columns, rows)
    } else for (const batch of this.#batches.splice(0)) this.#job.push(batch)
    return true
  }

  collected(): Collected {
    return this.#collector.collected(this.#run.profile)
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

  push(batch: Batch): void {
    this.addRows(batch.names, rowsOf(batch))
  }

  addRows(names: readonly string[], rows: Iterable<readonly Value[]>): void {
    if (this.#shape.kind === 'events') {
      const keys = jsonKeys(names)
      for (const row of rows) this.#rows.add(objectToJson(keys, row))
      return
    }
    if (this.#shape.columns === null) this.#columns = names
    for (const row of rows) {
      for (const [index, value] of row.entries())
        if (value !== null && value !== undefined) this.#typesOf(index).add(typeOf(value))
      this.#rows.add(rowToJson(row))
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
