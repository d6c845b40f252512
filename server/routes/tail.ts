/** GET /tail: results as they come, after the newest there are. Over WebSocket on the same path: `tail/web-socket.ts`. */
import type { Static } from '@sinclair/typebox'
import { EventStream } from '../sse.ts'
import { readTailRequest, TAIL_PARAMETERS } from '../tail/request.ts'
import { Tail, type TailSink } from '../tail/tail.ts'
import { TAIL_PATH } from '../tail/web-socket.ts'
import { type Call, route } from './route.ts'

export const TAIL_ROUTES = [
  route({
    method: 'GET',
    path: TAIL_PATH,
    scope: 'query',
    summary: 'Live tail: the newest results, then those that come, as server-sent events or over a WebSocket',
    query: TAIL_PARAMETERS,
    dialect: 'tail',
    answers: 'events result, catchup_done {count}, heartbeat {ts}, warning {type, count?}, error, end {reason}',
    handle: tail,
  }),
]

function tail({ context, request, reply, query }: Call<Static<typeof TAIL_PARAMETERS>, undefined>): void {
  const { 'last-event-id': lastEventId } = request.headers
  const asked = readTailRequest(context, query, Array.isArray(lastEventId) ? lastEventId[0] : lastEventId)
  Tail.open(context, asked, () => sinkOf(new EventStream(reply)))
}

function sinkOf(stream: EventStream): TailSink {
  return {
    send: (event, data, id) => stream.send(event, data, id === undefined ? undefined : String(id)),
    write: bytes => stream.write(bytes),
    get waitingBytes() {
      return stream.waitingBytes
    },
    onDrain: listener => stream.onDrain(listener),
    onClose: listener => stream.onClose(listener),
    end: () => stream.end(),
  }
}
