/** Log records on their way into the engine, from whichever encoding and listener. */

import { receiveTime } from '../../../storage/ingest/receive-time.ts'
import type { ServerContext } from '../../context.ts'
import { EventWriter } from '../../ingest/event-writer.ts'
import { groupReader } from './events.ts'
import type { OtlpLogs } from './model.ts'

export interface OtlpOutcome {
  /** Records that were not stored, and never will be: to be told, not to be sent again. */
  readonly rejected: number
  readonly message: string
}

/** @throws {BackpressureError} when there is no room: senders of OTLP try again. */
export async function storeOtlp(context: ServerContext, logs: OtlpLogs): Promise<OtlpOutcome> {
  const { config, reader } = context
  const writer = new EventWriter(context, 'refuse')
  const receivedAt = receiveTime()
  let { rejected, problem } = logs
  let position = 0
  for (const group of logs.groups) {
    const read = groupReader(reader, group, receivedAt)
    for (const record of group.records) {
      if (writer.isDue) await writer.step()
      const result = read(record)
      if ('event' in result) writer.add(result.event, position)
      else {
        rejected++
        problem ??= result.problem.message
      }
      position++
    }
  }
  await writer.write()
  writer.throwIfRefused()
  if (config.get('ingest.ack') === 'published') await writer.published()
  return { rejected, message: problem ?? '' }
}
