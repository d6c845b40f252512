/**
 * Where a span's parts are found: by option, or under the names exporters use. Of the usual names those that the data has, or could
 * have, are read, the first that holds something counting.
 */
import type { AstExpr, AstOption, AstStage } from '../../grammar/ast.ts'
import { parse, quoteField } from '../../grammar/index.ts'
import { optionOf } from '../../grammar/stages/options.ts'
import type { TableOp } from '../logical/ops.ts'
import type { LowerContext } from './stage.ts'

/** By what the option is called; durations by the unit their names tell. */
export const USUAL_FIELDS = {
  trace_id: ['trace_id', 'traceId', 'TraceId', 'traceID', 'trace.id', 'dd.trace_id'],
  span_id: ['span_id', 'spanId', 'SpanId', 'spanID', 'span.id', 'dd.span_id'],
  parent: ['parent_span_id', 'parentSpanId', 'ParentSpanId', 'parentSpanID', 'parent_id', 'parentId', 'parent.id'],
  service: [
    'service.name',
    'service_name',
    'serviceName',
    'ServiceName',
    'service',
    'resource.service.name',
    'localEndpoint.serviceName',
    '_source',
  ],
  name: [
    'name',
    'span_name',
    'spanName',
    'SpanName',
    'span.name',
    'operationName',
    'operation_name',
    'operation',
    'transaction.name',
    'message',
  ],
  start: ['startTimeUnixNano', 'start_time_unix_nano', 'start_time', 'startTime', 'StartTime', 'start'],
  end: ['endTimeUnixNano', 'end_time_unix_nano', 'end_time', 'endTime', 'EndTime', 'end'],
  peer: ['peer.service', 'peer_service', 'peerService', 'db.system', 'messaging.system'],
  duration_ns: ['duration_ns', 'durationNs', 'duration_nano', 'durationNano', 'durationNanos', 'event.duration'],
  duration_us: ['duration_us', 'durationUs', 'durationMicros', 'span.duration.us', 'transaction.duration.us'],
  duration_ms: ['duration_ms', 'durationMs', 'durationMillis', 'elapsed_ms', 'latency_ms', 'duration', 'Duration'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** What tells that a span failed. */
export const FAILURE_FIELDS = {
  status: ['status.code', 'status_code', 'statusCode', 'StatusCode', 'otel.status_code', 'status'],
  http: ['http.response.status_code', 'http.status_code', 'http_status', 'status_code', 'status'],
  level: ['level', 'severity', 'severityText', 'severity_text', 'log.level'],
} as const
const FAILED_STATUS = '[2, "ERROR", "Error", "error", "STATUS_CODE_ERROR"]'
const FAILED_LEVELS = '["error", "err", "fatal", "critical", "crit", "alert", "emergency", "panic"]'

type Inputs = TableOp['inputs']

export function spanInputs(stage: AstStage & { readonly options: readonly AstOption[] }, cx: LowerContext): Inputs {
  const { options } = stage
  const inputs: { name: string; value: Inputs[number]['value'] }[] = []
  const add = (name: string, ast: AstExpr | null): void => {
    if (ast !== null) inputs.push({ name, value: cx.exprs.expr(ast) })
  }
  const addUnasked = (name: string, ast: AstExpr | null): void => {
    if (ast !== null) inputs.push({ name, value: cx.exprs.unasked(ast) })
  }
  for (const [name, fields] of Object.entries(USUAL_FIELDS)) {
    const given = optionOf(options, name.startsWith('duration_') ? 'duration' : name)
    // A duration without a unit in its name is in milliseconds.
    if (given === null) addUnasked(name, firstOf(present(fields, cx), stage))
    else if (!name.startsWith('duration_') || name === 'duration_ms') add(name, given)
  }
  add('time', firstOf(present(['_time'], cx), stage))
  const error = optionOf(options, 'error')
  if (error !== null) inputs.push({ name: 'failed', value: cx.exprs.predicate(error) })
  else addUnasked('failed', usualFailure(cx))
  return inputs
}

/** Says so when neither an option nor a usual name gives what the stage cannot do without. */
export function needInput(name: 'trace_id' | 'span_id', inputs: Inputs, stage: AstStage, cx: LowerContext): void {
  if (inputs.some(input => input.name === name)) return
  const usual = USUAL_FIELDS[name]
  const message = `no field holds the ${name.replace('_', ' ')} (${usual.slice(0, 3).join(', ')}, …); name it: ${stage.kind} ${name}=<field>`
  if (cx.scope.isOpen) cx.hint({ code: 'H906', message, span: stage.span })
  else cx.report({ code: 'E101', message, span: stage.span })
}

/** Those of the fields that rows may have. */
function present(fields: readonly string[], cx: LowerContext): string[] {
  const { scope, knownFields } = cx
  return fields.filter(field => {
    if (scope.fields.has(field) || !scope.isOpen) return scope.has(field)
    // What a `parse auto` found is no field of the data, and may be any.
    return !scope.isNamed || knownFields === null || knownFields.size === 0 || knownFields.has(field)
  })
}

function firstOf(fields: readonly string[], { span }: AstStage): AstExpr | null {
  const args: AstExpr[] = fields.map(name => ({ kind: 'field', span, name }))
  if (args.length < 2) return args[0] ?? null
  return { kind: 'call', span, name: 'coalesce', nameSpan: span, args, where: null, strict: false }
}

function usualFailure(cx: LowerContext): AstExpr | null {
  const texts = [
    ...present(['error'], cx).map(() => 'lower(string(error)) == "true"'),
    ...present(FAILURE_FIELDS.status, cx).map(field => `${quoteField(field)} in ${FAILED_STATUS}`),
    ...present(FAILURE_FIELDS.http, cx).map(field => `${quoteField(field)} between 500 and 599`),
    ...present(FAILURE_FIELDS.level, cx).map(field => `lower(${quoteField(field)}) in ${FAILED_LEVELS}`),
  ]
  if (texts.length === 0) return null
  const [stage] = parse(`| where ${texts.join(' or ')}`).query.pipeline.stages
  return stage?.kind === 'where' ? stage.predicate : null
}
