/** `quern tail`: the newest results of a server, then those that come, until it is stopped. Cut off, it comes back and misses nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { serverEvents } from '../event-stream.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { pathOf } from '../routes.ts'

export interface TailOptions {
  readonly server: string
  readonly token?: string
  readonly count?: string
  readonly from?: string
  readonly format?: 'text' | 'ndjson'
}

const RETRY_MS = 1000
const RETRIES_MAX = 60

export async function tail(query: string, options: TailOptions): Promise<void> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const isText = (options.format ?? (process.stdout.isTTY ? 'text' : 'ndjson')) === 'text'
  const count = options.count === undefined ? undefined : countOf(options.count)
  const path = pathOf('/api/v1/tail', { query: { q: query, count, from: options.from } })
  const client = { server: options.server, token: options.token, signal: stop.signal }
  let lastId: string | null = null
  for (let failures = 0; ; failures++) {
    try {
      const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId }
      for await (const { event, data, id } of serverEvents(path, client, headers)) {
        failures = 0
        lastId = id ?? lastId
        if (event === 'result') process.stdout.write(`${isText ? textOf(data) : data}\n`)
        else if (event === 'warning') process.stderr.write(`${warningOf(data)}\n`)
        else if (event === 'error')
          throw new CommandError(EXIT.general, (JSON.parse(data) as { message: string }).message)
        else if (event === 'end') return
      }
    } catch (error) {
      if (stop.signal.aborted) throw new CommandError(EXIT.interrupted, '')
      // Only a server that has answered before is waited for.
      const isCut = lastId !== null && !(error instanceof CommandError && error.exitCode !== EXIT.connection)
      if (!isCut || failures >= RETRIES_MAX) throw error
    }
    await sleep(RETRY_MS)
  }
}

function countOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 0) return count
  throw new CommandError(EXIT.usage, `--count takes a whole number, not '${text}'`)
}

/** The event as it was sent, with its time; or all of it, when it has no text. */
function textOf(data: string): string {
  const { _time: time, _raw: raw } = JSON.parse(data) as { readonly _time?: string; readonly _raw?: string }
  return raw === undefined ? data : time === undefined ? raw : `${time}  ${raw}`
}

function warningOf(data: string): string {
  const { type, count, message } = JSON.parse(data) as { type: string; count?: number; message?: string }
  return type === 'events_dropped' ? `${count} results were dropped: this end is too slow` : (message ?? data)
}
