/** `quern demo`: live, realistic events with an incident in them, into a server or onto stdout. */
import { once } from 'node:events'
import { request } from '../client.ts'
import { demoEvent, seededRandom } from '../demo-events.ts'
import { CommandError, EXIT } from '../exit-codes.ts'

export interface DemoOptions {
  readonly server: string
  readonly token?: string
  readonly rate: string
  readonly seconds?: string
  readonly backfill: string
  readonly seed: string
  readonly stdout?: boolean
}

const BATCH_MAX = 5000

export async function demo(options: DemoOptions): Promise<void> {
  const rate = positive('--rate', options.rate)
  const backfillMinutes = Number(options.backfill)
  if (!(backfillMinutes >= 0))
    throw new CommandError(EXIT.usage, `--backfill takes minutes, 0 or more, not '${options.backfill}'`)
  const untilMs =
    options.seconds === undefined
      ? Number.POSITIVE_INFINITY
      : Date.now() + positive('--seconds', options.seconds) * 1000
  const random = seededRandom(Number(options.seed))
  const send = options.stdout === true ? toStdout : toServer(options)

  let atMs = Date.now() - backfillMinutes * 60_000
  let sent = 0
  for (;;) {
    const nowMs = Math.min(Date.now(), untilMs)
    const lines: string[] = []
    while (atMs < nowMs && lines.length < BATCH_MAX) {
      lines.push(JSON.stringify(demoEvent(random, atMs)))
      // Exponential gaps: arrivals as they come in life.
      atMs += (-Math.log(1 - random()) * 1000) / rate
    }
    if (lines.length > 0) await send(`${lines.join('\n')}\n`)
    sent += lines.length
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${sent.toLocaleString('en')} events sent`)
    if (atMs >= untilMs || nowMs >= untilMs) break
    if (lines.length < BATCH_MAX) await new Promise(resolve => setTimeout(resolve, 250))
  }
  if (process.stderr.isTTY) process.stderr.write('\n')
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new CommandError(EXIT.usage, `${flag} takes a number above 0, not '${text}'`)
  return value
}

async function toStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

function toServer(options: DemoOptions): (text: string) => Promise<void> {
  return async body => {
    await request(
      '/api/v1/ingest/raw',
      { method: 'POST', body, headers: { 'content-type': 'text/plain', 'x-source': 'demo' } },
      { server: options.server, token: options.token },
    )
  }
}
