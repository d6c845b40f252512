/**
 * The form in which a query can be asked of events as they come: stages that look at one event at a time, and perhaps a `head` at the end,
 * which is a number of results and no stage. Everything else needs what a stream does not have: an end.
 */
import type { AstQuery, AstStage } from '../grammar/ast.ts'
import { desugar, parse, print } from '../grammar/index.ts'

export interface LiveForm {
  /** Without the `head`. */
  readonly text: string
  /** How many results there are at most; null: no end. */
  readonly head: number | null
}

/** A stage that cannot stand in a live tail; the message names it and what can. */
export class UnsupportedStageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnsupportedStageError'
  }
}

const ROW_BY_ROW: ReadonlySet<string> = new Set(['where', 'extend', 'parse', 'keep', 'drop', 'rename'])

/** The text must be right: it has been compiled. @throws {UnsupportedStageError} */
export function liveForm(text: string): LiveForm {
  const { query } = parse(text)
  if (query.lets.length > 0) throw unsupported('let')
  const kept: AstStage[] = []
  let head: number | null = null
  for (const stage of query.pipeline.stages) {
    if (stage.kind === 'head') {
      head = Math.min(head ?? stage.count, stage.count)
      continue
    }
    if (head !== null && mayDropRows(stage)) {
      const message = `in a live tail head stands last, but ${stage.kind} follows it`
      throw new UnsupportedStageError(`${message}; put ${stage.kind} before head`)
    }
    if (!isRowByRow(query, stage)) throw unsupported(stage.kind)
    kept.push(stage)
  }
  return { text: print({ ...query, pipeline: { ...query.pipeline, stages: kept } }), head }
}

/** Of a short form, what it stands for decides. */
function isRowByRow(query: AstQuery, stage: AstStage): boolean {
  if (ROW_BY_ROW.has(stage.kind)) return true
  const { query: expanded } = desugar({ ...query, pipeline: { ...query.pipeline, stages: [stage] } })
  const { stages } = expanded.pipeline
  return !stages.includes(stage) && stages.every(each => ROW_BY_ROW.has(each.kind))
}

function mayDropRows(stage: AstStage): boolean {
  return stage.kind === 'where' || (stage.kind === 'parse' && stage.onError === 'drop')
}

function unsupported(stage: string): UnsupportedStageError {
  return new UnsupportedStageError(
    `${stage} cannot stand in a live tail; what can are where, extend, parse, keep, drop, rename and head`,
  )
}
