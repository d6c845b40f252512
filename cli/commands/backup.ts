/** `quern backup` and `quern restore`. A backup only reads, so it may be taken while a server runs; what that still buffers is not in it. */
import { byteCount, counted } from '../../compiler/explain/figures.ts'
import { backupDirectory, restoreDirectory } from '../../engine.ts'
import { dataHome } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'

export interface BackupOptions {
  readonly data?: string
  readonly copy?: boolean
}

export async function backup(target: string, options: BackupOptions): Promise<void> {
  const copy = options.copy === true
  const report = await backupDirectory(options.data ?? dataHome(), target, { copy })
  process.stderr.write(
    `${counted(report.parts.length, 'part')} (${report.linkedCount} linked, ${report.copiedCount} copied), ${counted(report.eventCount, 'event')}, ` +
      `${byteCount(report.sizeBytes)}, ${counted(report.documents.length, 'document')}: ${target}\n`,
  )
  for (const missing of report.missing) process.stderr.write(`not in the backup: ${missing}\n`)
  if (report.missing.length > 0) throw new CommandError(EXIT.general, 'the directory is damaged: see quern verify')
}

export async function restore(from: string, directory: string, options: BackupOptions): Promise<void> {
  const { partCount, eventCount, documentCount } = await restoreDirectory(from, directory, {
    copy: options.copy === true,
  })
  process.stderr.write(
    `${counted(partCount, 'part')} checked and restored, ${counted(eventCount, 'event')}, ${counted(documentCount, 'document')}: ${directory}\n`,
  )
}
