/** `quern verify` and `quern repair`: whether a data directory is sound, and making it so. */
import { counted } from '../../compiler/explain/figures.ts'
import { type PartVerdict, repairDirectory, verifyDirectory } from '../../engine.ts'
import { dataHome } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { type ListFormat, listFormat, printObjects } from '../print-objects.ts'
import { megabytes, startProgress } from '../progress.ts'

export interface VerifyOptions {
  readonly data?: string
  readonly format?: ListFormat
}

/** Exit code 1 when anything is wrong. */
export async function verify(options: VerifyOptions): Promise<void> {
  const directory = options.data ?? dataHome()
  const progress = counting()
  const { parts, catalog, isSound } = await verifyDirectory(directory, { onPart: progress.onPart })
  progress.end()
  const rows = parts.map(({ part, rowCount, sizeBytes, problem }) => ({
    part,
    events: rowCount,
    bytes: sizeBytes,
    sound: problem === null,
    problem,
  }))
  const format = listFormat(options.format)
  printObjects(format === 'ndjson' ? rows : rows.filter(({ sound }) => !sound), format)
  for (const difference of catalog.differences) process.stderr.write(`catalog: ${difference}\n`)
  const damaged = rows.filter(({ sound }) => !sound).length
  const events = rows.reduce((sum, row) => sum + row.events, 0)
  process.stderr.write(
    `${rows.length - damaged} of ${rows.length} parts are sound, ${counted(events, 'event')}; the catalog ${catalogIs(catalog.state)}\n`,
  )
  if (!isSound) throw new CommandError(EXIT.general, 'quern repair sets damaged parts aside and makes the catalog anew')
}

function catalogIs(state: 'agrees' | 'differs' | 'damaged' | 'absent'): string {
  if (state === 'agrees') return 'agrees with them'
  if (state === 'differs') return 'differs from them'
  return state === 'damaged' ? 'is damaged' : 'is missing'
}

/** Exit code 1 when something had to be set aside: the directory serves again, but not all of what it had. */
export async function repair(options: Pick<VerifyOptions, 'data'>): Promise<void> {
  const directory = options.data ?? dataHome()
  const progress = counting()
  const { partCount, eventCount, quarantined, documents } = await repairDirectory(directory, {
    onPart: progress.onPart,
  })
  progress.end()
  for (const { part, reason } of quarantined) process.stderr.write(`set aside ${part}: ${reason}\n`)
  if (documents !== null) process.stderr.write(`documents: ${documents}\n`)
  process.stderr.write(
    `${counted(partCount, 'part serves', 'parts serve')}, ${counted(eventCount, 'event')}; the catalog was made anew\n`,
  )
  if (quarantined.length > 0 || documents !== null)
    throw new CommandError(EXIT.general, `what was set aside lies in ${directory}/quarantine`)
}

function counting(): { onPart(verdict: PartVerdict): void; end(): void } {
  const progress = startProgress()
  let count = 0
  let bytes = 0
  return {
    onPart({ sizeBytes }) {
      count++
      bytes += sizeBytes
      progress.update(`${counted(count, 'part')}, ${megabytes(bytes)} read`)
    },
    end: () => progress.end(),
  }
}
