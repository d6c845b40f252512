/** `quern export` and `quern import`: between a data directory and files that other programs read and write. */
import { once } from 'node:events'
import { counted } from '../../compiler/explain/figures.ts'
import { type ExportFormat, type ExportReport, open } from '../../engine.ts'
import { dataHome } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { openData } from '../open-data.ts'

export interface ExportOptions {
  readonly output: string
  readonly data?: string
  readonly from?: string
  readonly to?: string
  readonly format?: ExportFormat
}

export async function exportEvents(query: string, options: ExportOptions): Promise<void> {
  const format = options.format ?? formatOfName(options.output)
  const engine = await openData(options.data ?? dataHome())
  try {
    const bounds = { ...(options.from && { from: options.from }), ...(options.to && { to: options.to }) }
    report(await engine.exportTo(targetOf(options.output, format), format, query, bounds), options.output)
  } finally {
    await engine.close()
  }
}

function targetOf(output: string, format: ExportFormat): string | ((lines: string) => Promise<void>) {
  if (output !== '-') return output
  if (format !== 'ndjson')
    throw new CommandError(EXIT.usage, `a ${format} file needs a name: --output events.${format}`)
  return async lines => {
    if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
  }
}

function formatOfName(name: string): ExportFormat {
  if (name === '-' || /\.(nd|l)?jsonl?$/i.test(name)) return 'ndjson'
  if (/\.(parquet|pq)$/i.test(name)) return 'parquet'
  if (/\.(arrow|feather|ipc)$/i.test(name)) return 'arrow'
  throw new CommandError(EXIT.usage, `${name} does not say which format it is: add --format ndjson, parquet or arrow`)
}

function report({ rowCount, columnCount, lossy }: ExportReport, output: string): void {
  process.stderr.write(`${counted(rowCount, 'row')}, ${counted(columnCount, 'column')}: ${output}\n`)
  for (const loss of lossy) process.stderr.write(`  ${loss}\n`)
  if (lossy.length > 0) process.stderr.write('Parquet and Arrow keep these as they are\n')
}

export interface ImportOptions {
  readonly data?: string
  readonly index?: string
}

export async function importEvents(files: readonly string[], options: ImportOptions): Promise<void> {
  // Nobody asks while files are read: parts are written when they are large, not when they are a second old.
  const engine = await open(options.data ?? dataHome(), { flushAgeMs: 60_000 })
  try {
    for (const file of files) {
      const { eventCount } = await engine.importFrom(file, options.index === undefined ? {} : { index: options.index })
      process.stderr.write(`${counted(eventCount, 'event')}: ${file}\n`)
    }
  } finally {
    await engine.close()
  }
}
