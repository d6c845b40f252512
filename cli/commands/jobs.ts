/** `quern jobs`: queries that run on a server without anybody waiting: list them, look at one, wait for it, or end it. */
import { renderTable } from '../../runtime/output/table.ts'
import { serverEvents } from '../event-stream.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { call, pathOf } from '../routes.ts'

export interface JobsOptions {
  readonly server: string
  readonly token?: string
  readonly status?: string
  readonly wait?: boolean
}

interface Job {
  readonly job_id: string
  readonly status: string
  readonly query: string
  readonly created_at: string
  readonly progress: { readonly percent: number }
  readonly results?: {
    readonly type: string
    readonly events?: unknown[]
    readonly columns?: string[]
    readonly rows?: unknown[][]
  }
  readonly error?: { readonly code: string; readonly message: string }
}

export async function listJobs(options: JobsOptions): Promise<void> {
  const { status } = options
  if (status !== undefined && !isStatus(status))
    throw new CommandError(EXIT.usage, `--status is one of ${STATUSES.join(', ')}`)
  const { jobs } = (await call('GET', '/api/v1/query/jobs', { query: { status } }, options)) as { jobs: Job[] }
  const rows = jobs.map(job => [job.job_id, job.status, `${job.progress.percent} %`, job.created_at, job.query])
  if (rows.length > 0)
    process.stdout.write(renderTable(['job', 'status', 'done', 'created', 'query'], rows, { width: null }))
}

/** Its rows as NDJSON once it is done; with `--wait`, when it is. */
export async function showJob(id: string, options: JobsOptions): Promise<void> {
  if (options.wait === true) await waitFor(id, options)
  const job = (await call('GET', '/api/v1/query/jobs/:id', { params: { id } }, options)) as Job
  if (job.error !== undefined) throw new CommandError(EXIT.general, `${job.error.code}: ${job.error.message}`)
  if (job.results === undefined) {
    process.stderr.write(`${job.job_id} ${job.status}, ${job.progress.percent} % done: ${job.query}\n`)
    return
  }
  const { events, columns = [], rows = [] } = job.results
  const lines = events ?? rows.map(row => Object.fromEntries(columns.map((name, index) => [name, row[index]])))
  for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`)
}

export async function cancelJob(id: string, options: JobsOptions): Promise<void> {
  const { status, canceled } = (await call('DELETE', '/api/v1/query/jobs/:id', { params: { id } }, options)) as {
    status: string
    canceled: boolean
  }
  process.stderr.write(canceled ? `${id} is canceled\n` : `${id} had ended already: ${status}\n`)
}

async function waitFor(id: string, options: JobsOptions): Promise<void> {
  const path = pathOf('/api/v1/query/jobs/:id/stream', { params: { id } })
  for await (const { event, data } of serverEvents(path, options)) {
    if (event !== 'progress') break
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${(JSON.parse(data) as { percent: number }).percent} %`)
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K')
}

const STATUSES = ['running', 'done', 'error', 'canceled'] as const

function isStatus(text: string): text is (typeof STATUSES)[number] {
  return STATUSES.some(status => status === text)
}
