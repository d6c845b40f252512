/**
 * The search-engine bulk protocol: action lines and document lines in turn. Documents are stored, never updated; whatever cannot be
 * stored is answered item by item, as clients of the protocol expect, and the rest goes in.
 */
import { randomBytes } from 'node:crypto'
import type { BackpressureError } from '../../storage/errors.ts'
import type { EventDefaults } from '../../storage/ingest/read-event.ts'
import { receiveTime } from '../../storage/ingest/receive-time.ts'
import type { DateTime } from '../../storage/value.ts'
import type { ServerContext } from '../context.ts'
import { bulkDefaults } from '../ingest/defaults.ts'
import { EventWriter } from '../ingest/event-writer.ts'
import { type ByteSpan, isBlank, lines } from '../ingest/split-body.ts'
import { BulkItems } from './bulk-items.ts'

export interface BulkAnswer {
  /** `{"took":…,"errors":…,"items":[…]}` */
  readonly body: Buffer
  readonly accepted: number
}

interface Action {
  readonly kind: 'index' | 'create' | 'update' | 'delete'
  readonly index: string | null
  readonly id: string | null
}

interface Problem {
  readonly status: number
  readonly type: string
  readonly reason: string
}

const KINDS: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete'])

/** @param pathIndex from `/{index}/_bulk`: what an action that names no `_index` gets. */
export async function storeBulk(
  context: ServerContext,
  body: Buffer,
  pathIndex: string | null,
  isPublishedAwaited: boolean,
): Promise<BulkAnswer> {
  const started = performance.now()
  const bulk = new Bulk(context, body, pathIndex)
  await bulk.store()
  if (isPublishedAwaited) await bulk.writer.published()
  const took = Math.round(performance.now() - started)
  const answer = bulk.items.between(`{"took":${took},"errors":${bulk.hasErrors},"items":[`, ']}')
  return { body: answer, accepted: bulk.writer.accepted }
}

class Bulk {
  readonly items = new BulkItems()
  readonly writer: EventWriter
  hasErrors = false
  readonly #context: ServerContext
  readonly #body: Buffer
  readonly #pathIndex: string | null
  readonly #receivedAt: DateTime = receiveTime()
  /** Shippers write the same action line before every document; it is parsed when it changes. */
  #actionText = ''
  #action: Action | Problem | null = null
  /** Of documents for the index that was named last. */
  #defaults: EventDefaults | null = null
  #source: string | null = null

  constructor(context: ServerContext, body: Buffer, pathIndex: string | null) {
    this.#context = context
    this.#body = body
    this.#pathIndex = pathIndex
    this.writer = new EventWriter(context, 'report')
  }

  async store(): Promise<void> {
    let action: Action | null = null
    for (const line of lines(this.#body)) {
      if (this.writer.isDue) {
        await this.writer.step()
        this.#decide()
      }
      if (isBlank(this.#body, line)) continue
      if (action === null) action = this.#readAction(line)
      else {
        this.#readDocument(action, line)
        action = null
      }
    }
    if (action !== null) this.#fail(action, malformed('the action has no document line'))
    await this.writer.write()
    this.#decide()
  }

  /** Everything so far is stored or refused. */
  #decide(): void {
    for (const { positions, reason } of this.writer.refused.splice(0)) this.#refuse(positions, reason)
    this.items.decide()
  }

  /** Null: the line was answered by itself and the next line is an action again. */
  #readAction(line: ByteSpan): Action | null {
    const text = this.#body.toString('utf8', line.start, line.end)
    if (text !== this.#actionText || this.#action === null) {
      this.#actionText = text
      this.#action = parseAction(text)
    }
    const action = this.#action
    if ('status' in action) {
      this.#fail(NAMELESS, action)
      return null
    }
    if (action.kind !== 'delete') return action
    this.#fail(action, unsupported('delete'))
    return null
  }

  #readDocument(action: Action, line: ByteSpan): void {
    if (action.kind === 'update') {
      this.#fail(action, unsupported('update'))
      return
    }
    const { lines } = this.#context
    const source = action.index ?? this.#pathIndex
    if (this.#defaults === null || source !== this.#source) {
      this.#source = source
      this.#defaults = bulkDefaults(source, this.#receivedAt)
    }
    const problem = lines.bulk.fromJson(this.writer.batch, this.#body, line.start, line.end, this.#defaults)
    if (problem !== null) {
      this.#fail(action, malformed(`failed to parse: ${problem.message}`))
      return
    }
    this.writer.took(this.items.add(createdItem(action, this.#pathIndex)))
  }

  #fail(action: Action, problem: Problem): void {
    this.hasErrors = true
    this.items.add(failedItem(action.kind, action.index ?? this.#pathIndex, action.id, problem))
  }

  /** Clients resend just the items that were answered 429. */
  #refuse(positions: readonly number[], reason: BackpressureError): void {
    this.hasErrors = true
    for (const position of positions) {
      const { kind, id, index } = actionOf(this.items.at(position))
      const problem = { status: 429, type: 'es_rejected_execution_exception', reason: reason.message }
      this.items.replace(position, failedItem(kind, index, id, problem))
    }
  }
}

/** What a line that is no action is answered as. */
const NAMELESS: Action = { kind: 'index', index: null, id: null }

function parseAction(text: string): Action | Problem {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return malformed('Malformed action/metadata line: not JSON')
  }
  // Some shippers put keys of their own beside the action.
  const kind = Object.keys(typeof line === 'object' && line !== null ? line : {}).find(key => KINDS.has(key))
  if (kind === undefined)
    return malformed('Malformed action/metadata line: expected one of index, create, update or delete')
  const given = (line as Readonly<Record<string, unknown>>)[kind]
  const metadata = (typeof given === 'object' && given !== null ? given : {}) as Readonly<Record<string, unknown>>
  return { kind: kind as Action['kind'], index: textOf(metadata._index), id: textOf(metadata._id) }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

function createdItem(action: Action, pathIndex: string | null): string {
  const index = JSON.stringify(action.index ?? pathIndex ?? 'main')
  const id = action.id === null ? `"${generateId()}"` : JSON.stringify(action.id)
  return `{"${action.kind}":{"_index":${index},"_id":${id},"_version":1,"result":"created","status":201}}`
}

/** What an item was made from. Items are text, and only those that are taken back are ever looked into. */
function actionOf(text: string): Action {
  type Items = readonly [readonly [Action['kind'], { readonly _id: string; readonly _index: string }]]
  const [[kind, item]] = Object.entries(JSON.parse(text)) as unknown as Items
  return { kind, id: item._id, index: item._index }
}

function failedItem(kind: Action['kind'], index: string | null, id: string | null, problem: Problem): string {
  const { status, type, reason } = problem
  return JSON.stringify({ [kind]: { _index: index ?? 'main', _id: id, status, error: { type, reason } } })
}

function malformed(reason: string): Problem {
  return { status: 400, type: 'mapper_parsing_exception', reason }
}

function unsupported(kind: string): Problem {
  return {
    status: 400,
    type: 'illegal_argument_exception',
    reason: `${kind} is not supported: events are only appended`,
  }
}

const ID_PREFIX = randomBytes(9).toString('base64url')
let idCount = 0

/** Unique across processes by its random half, within one by its count. */
export function generateId(): string {
  idCount++
  return ID_PREFIX + idCount.toString(36).padStart(8, '0')
}
