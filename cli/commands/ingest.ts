/** `quern ingest`: files or stdin into a server, or straight into a data directory. Constant memory; says what was refused. */
import { counted } from '../../compiler/explain/figures.ts'
import { open } from '../../engine.ts'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { LineReader, type Problem } from '../../storage/ingest/line-reader.ts'
import { createEventReader } from '../../storage/ingest/read-event.ts'
import { DateTime } from '../../storage/value.ts'
import { request } from '../client.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { type Chunk, chunksOf, splitLines, stdinIsPiped } from '../lines.ts'
import { timestampFields } from '../local-events.ts'
import { megabytes, startProgress } from '../progress.ts'

export interface IngestOptions {
  readonly server: string
  readonly token?: string
  readonly data?: string
  readonly index?: string
  readonly source?: string
  readonly batch: string
  readonly timeField?: string
}

interface Tally {
  accepted: number
  failed: number
  readonly examples: string[]
}

type Sink = (chunk: Chunk, source: string | null) => Promise<void>

export async function ingest(files: readonly string[], options: IngestOptions): Promise<void> {
  if (files.length === 0 && !stdinIsPiped()) {
    throw new CommandError(
      EXIT.usage,
      'nothing to ingest: name files, or pipe lines in (quern ingest app.log, or cat app.log | quern ingest)',
    )
  }
  if (options.timeField !== undefined && options.data === undefined) {
    throw new CommandError(EXIT.usage, '--time-field goes with --data: a server looks at the names it knows')
  }
  const tally: Tally = { accepted: 0, failed: 0, examples: [] }
  const startedMs = Date.now()
  const progress = startProgress()
  let bytesRead = 0
  const run = async (sink: Sink): Promise<void> => {
    const inputs = files.length === 0 ? [null] : files
    for (const file of inputs) {
      const source = options.source ?? (file === null ? null : file.replace(/^.*\//, '').replace(/\.(gz|br)$/i, ''))
      for await (const chunk of chunksOf(file)) {
        await sink(chunk, source)
        bytesRead += chunk.bytes
        progress.update(`${tally.accepted.toLocaleString('en')} events, ${megabytes(bytesRead)}`)
      }
    }
  }
  if (options.data === undefined) await run(toServer(options, tally))
  else await intoDirectory(options.data, options, tally, run)
  progress.end()

  const seconds = (Date.now() - startedMs) / 1000
  const rate = Math.round(tally.accepted / Math.max(seconds, 0.001))
  process.stderr.write(
    `${counted(tally.accepted, 'event')} accepted (${megabytes(bytesRead)} in ${seconds.toFixed(1)} s, ${rate.toLocaleString('en')}/s)` +
      `${tally.failed > 0 ? `, ${tally.failed.toLocaleString('en')} failed` : ''}\n`,
  )
  for (const example of tally.examples) process.stderr.write(`  ${example}\n`)
  if (tally.failed > 0)
    throw new CommandError(EXIT.general, `${counted(tally.failed, 'event was', 'events were')} refused`)
}

function toServer(options: IngestOptions, tally: Tally): Sink {
  const batchLines = Number(options.batch)
  if (!Number.isInteger(batchLines) || batchLines < 1)
    throw new CommandError(EXIT.usage, `--batch takes a whole number above 0, not '${options.batch}'`)
  return async ({ buffer, end }, source) => {
    const lines = splitLines(buffer, end)
    for (let start = 0; start < lines.length; start += batchLines) {
      const body = `${lines.slice(start, start + batchLines).join('\n')}\n`
      const headers: Record<string, string> = { 'content-type': 'text/plain' }
      if (source !== null) headers['x-source'] = source
      if (options.index !== undefined) headers['x-index'] = options.index
      const response = await request('/api/v1/ingest/raw', { method: 'POST', body, headers }, options)
      const { data } = (await response.json()) as {
        data: { accepted: number; failed: number; errors?: readonly { index: number; message: string }[] }
      }
      tally.accepted += data.accepted
      tally.failed += data.failed
      for (const error of data.errors ?? []) {
        if (tally.examples.length < 5)
          tally.examples.push(`line ${start + error.index + 1} of a batch: ${error.message}`)
      }
    }
  }
}

async function intoDirectory(
  directory: string,
  options: IngestOptions,
  tally: Tally,
  run: (sink: Sink) => Promise<void>,
): Promise<void> {
  // Nobody asks while a file is loaded: parts are written when they are large, not when they are a second old, and as they are to stay.
  const engine = await open(directory, { flushAgeMs: 60_000, mayHurry: false })
  const reader = new LineReader(createEventReader())
  const batch = new EventBatch()
  try {
    await run(async ({ buffer, end }, source) => {
      const receivedAt = new DateTime(Date.now() * 1000)
      const defaults = {
        index: options.index ?? 'main',
        source,
        sourcetype: null,
        host: null,
        receivedAt,
        timestampFields: timestampFields(options.timeField),
      }
      const refused = ({ code, message }: Problem): void => {
        tally.failed++
        if (tally.examples.length < 5) tally.examples.push(`${code}: ${message}`)
      }
      reader.readLines(batch, buffer, {
        start: 0,
        end,
        isJson: false,
        defaults,
        rowsMax: Number.POSITIVE_INFINITY,
        refused,
      })
      tally.accepted += engine.ingestBatch(batch).count
      batch.clear()
      // A full disk or a slow one must slow the reader down, not fill memory: one part's events are written while the next are read.
      if (engine.status().bufferedBytes > 512 * 1024 * 1024) await engine.makeRoom()
    })
    await engine.flush()
  } finally {
    await engine.close()
  }
}
