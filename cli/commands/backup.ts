/** `quern backup` and `quern restore`. A backup only reads, so it may be taken while a server runs; what that still buffers is not in it. */
import { backupDirectory, restoreDirectory } from '../../engine.ts'
import { dataHome } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { megabytes } from '../progress.ts'

export interface BackupOptions {
  readonly data?: string
  readonly copy?: boolean
}

export async function backup(target: string, options: BackupOptions): Promise<void> {
  const copy = options.copy === true
  const report = await backupDirectory(options.data ?? dataHome(), target, { copy })
  process.stderr.write(
    `${report.parts.length} parts (${report.linkedCount} linked, ${report.copiedCount} copied), ${report.eventCount.toLocaleString('en')} events, ` +
      `${megabytes(report.sizeBytes)}, ${report.documents.length} documents: ${target}\n`,
  )
  for (const missing of report.missing) process.stderr.write(`not in the backup: ${missing}\n`)
  if (report.missing.length > 0) throw new CommandError(EXIT.general, 'the directory is damaged: see quern verify')
}

export async function restore(from: string, directory: string, options: BackupOptions): Promise<void> {
  const { partCount, eventCount, documentCount } = await restoreDirectory(from, directory, {
    copy: options.copy === true,
  })
  process.stderr.write(
    `${partCount} parts checked and restored, ${eventCount.toLocaleString('en')} events, ${documentCount} documents: ${directory}\n`,
  )
}
