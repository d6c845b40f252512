/** Query jobs: what runs without anybody waiting, how far it is, what it found, and how to stop it. */
import { type Static, Type } from '@sinclair/typebox'
import { rowToJson } from '../../runtime/output/json.ts'
import type { ServerContext } from '../context.ts'
import { answerError } from '../errors.ts'
import { JOB_STATES } from '../query/jobs.ts'
import { jsonValue } from '../query/query-answer.ts'
import { pageOf } from '../query/query-request.ts'
import type { QueryTask } from '../query/query-task.ts'
import { EventStream } from '../sse.ts'
import { type Call, route } from './route.ts'

const Status = Type.Union(JOB_STATES.map(state => Type.Literal(state)))
const LIST = Type.Object({ status: Type.Optional(Status) }, { additionalProperties: false })
const PAGE = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 0, description: 'rows of the result in the answer' })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
)
const NOTHING = Type.Object({}, { additionalProperties: false })

const PROGRESS_MS = 500
const PREVIEW_ROWS = 50
const JSON_TYPE = 'application/json; charset=utf-8'

export const JOB_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/query/jobs',
    scope: 'query',
    summary: 'Query jobs, newest first',
    query: LIST,
    answers: '{jobs: [{job_id, query, status, created_at, completed_at?, progress}]}',
    handle: ({ context, query }) => ({ data: { jobs: context.jobs.list(query.status).map(summaryOf) } }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/query/jobs/:id',
    scope: 'query',
    summary: 'How far a job is; once it is done, its rows a page at a time',
    query: PAGE,
    answers: '{type: "job", job_id, status, query, created_at, completed_at?, progress, results?, error?}',
    handle: getJob,
  }),
  route({
    method: 'GET',
    path: '/api/v1/query/jobs/:id/stream',
    scope: 'query',
    summary: 'Progress of a job as server-sent events: progress, then complete, failed or canceled',
    query: NOTHING,
    handle: streamJob,
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/query/jobs/:id',
    scope: 'query',
    summary: 'Cancel a job that runs',
    answers: '{job_id, status, canceled}',
    async handle({ context, params }) {
      const task = context.jobs.get(params.id!)
      const canceled = task.cancel()
      await task.finished
      return { data: { job_id: task.id, status: task.state, canceled: canceled && task.state === 'canceled' } }
    },
  }),
]

/** The answer of 202. */
export function jobHandle(task: QueryTask): Record<string, unknown> {
  return {
    data: { type: 'job', job_id: task.id, status: task.state, progress: task.progress() },
    meta: { took_ms: Math.round(task.tookMs()), query_id: task.id },
  }
}

function summaryOf(task: QueryTask): Record<string, unknown> {
  return {
    job_id: task.id,
    query: task.asked.text,
    status: task.state,
    created_at: new Date(task.createdAtMs).toISOString(),
    ...(task.completedAtMs !== null && { completed_at: new Date(task.completedAtMs).toISOString() }),
    progress: task.progress(),
  }
}

function getJob({ context, params, query, reply }: Call<Static<typeof PAGE>, undefined>): string {
  const task = context.jobs.get(params.id!)
  const { limit, offset } = pageOf(query, context.config)
  const head = JSON.stringify({ type: 'job', ...summaryOf(task), ...errorOf(task) }).slice(0, -1)
  const results = task.rows === null ? '' : `,"results":${task.rows.pageText(limit, offset)}`
  reply.type(JSON_TYPE)
  return `{"data":${head}${results}},"meta":${JSON.stringify(metaText(task), jsonValue)}}`
}

function metaText(task: QueryTask): unknown {
  return task.state === 'done' ? task.meta() : { query_id: task.id }
}

function errorOf(task: QueryTask): { readonly error?: { readonly code: string; readonly message: string } } {
  if (task.error === null) return {}
  const { code, message } = answerError(task.error, task.id).error
  return { error: { code, message } }
}

function streamJob({ context, params, reply, request }: Call<Static<typeof NOTHING>, undefined>): void {
  const task = context.jobs.get(params.id!)
  const stream = new EventStream(reply)
  const tell = (): void => {
    if (task.state === 'running') stream.send('progress', progressText(task))
    else end()
  }
  const timer = setInterval(tell, PROGRESS_MS)
  const unwatch = task.watch(tell)
  const stop = (): void => {
    clearInterval(timer)
    unwatch()
  }
  const end = (): void => {
    stop()
    if (task.error !== null && answerError(task.error, task.id).isUnexpected)
      request.log.error({ err: task.error, query_id: task.id }, 'job failed')
    stream.send(...lastEvent(context, task))
    stream.end()
  }
  stream.onClose(stop)
  tell()
}

function progressText(task: QueryTask): string {
  const text = JSON.stringify(task.progress())
  const preview = task.run.preview(PREVIEW_ROWS)
  if (preview === null) return text
  const rows = preview.rows.map(rowToJson).join(',')
  return `${text.slice(0, -1)},"preview":{"columns":${JSON.stringify(preview.columns)},"rows":[${rows}]}}`
}

function lastEvent({ config }: ServerContext, task: QueryTask): [event: string, data: string] {
  if (task.state === 'done' && task.rows !== null) {
    const { limit, offset } = pageOf(task.asked, config)
    const meta = JSON.stringify(task.meta(), jsonValue)
    return ['complete', `{"data":${task.rows.pageText(limit, offset)},"meta":${meta}}`]
  }
  if (task.state === 'canceled') return ['canceled', JSON.stringify({ job_id: task.id })]
  return ['failed', JSON.stringify(errorOf(task).error)]
}
