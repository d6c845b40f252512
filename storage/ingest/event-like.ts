/** Events as a program has them: lines of a log, objects it made, or events that were read already. */
import { randomUUID } from 'node:crypto'
import { InvalidEventError } from '../errors.ts'
import type { IncomingEvent } from '../index.ts'
import { DateTime } from '../value.ts'
import { createEventReader, type EventDefaults, type ReadResult, TIMESTAMP_FIELDS } from './read-event.ts'
import { receiveTime } from './receive-time.ts'
import { ShapedFields } from './shape.ts'

/** A line (JSON or any text), a plain object (`{ time: new Date(), level: 'error' }`), or what a reader made of either. */
export type EventLike = IncomingEvent | string | Readonly<Record<string, unknown>>

/** For events that do not say it themselves. `index` is `main` unless given. */
export type IngestDefaults = Partial<Pick<EventDefaults, 'index' | 'source' | 'sourcetype' | 'host'>>

const reader = createEventReader()

/** @throws {InvalidEventError} naming the first that is no event */
export function readEventLikes(likes: readonly EventLike[], given: IngestDefaults = {}): readonly IncomingEvent[] {
  if (likes.every(isRead)) return likes
  const defaults: EventDefaults = {
    index: 'main',
    source: null,
    sourcetype: null,
    host: null,
    ...given,
    receivedAt: receiveTime(),
    timestampFields: TIMESTAMP_FIELDS,
  }
  return likes.map((like, number) => {
    if (isRead(like)) return like
    const result = typeof like === 'string' ? reader.fromLine(like, defaults) : readObject(like, defaults)
    if ('event' in result) return result.event
    throw new InvalidEventError(number, result.problem.message)
  })
}

function isRead(like: EventLike): like is IncomingEvent {
  if (typeof like !== 'object' || like === null || !(like.time instanceof DateTime)) return false
  return like.fields instanceof Map || like.fields instanceof ShapedFields
}

/** By way of its JSON, as a shipper would send it: dates become times, what is undefined is missing. */
function readObject(object: Readonly<Record<string, unknown>>, defaults: EventDefaults): ReadResult {
  let mark: string | null = null
  const markBigInt = (_: string, value: unknown): unknown => {
    if (typeof value !== 'bigint') return value
    mark ??= randomUUID()
    return `${mark}${value}`
  }
  let text: string | undefined
  try {
    text = JSON.stringify(object, markBigInt)
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0]! : String(error)
    return { problem: { code: 'not_json', message: `it cannot be written as JSON: ${message}` } }
  }
  if (text === undefined) return { problem: { code: 'not_an_object', message: `a ${typeof object} is no event` } }
  return reader.fromJson(mark === null ? text : text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1'), defaults)
}
