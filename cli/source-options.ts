/** Where a query is asked, as `query` and `explain` are told it: files, a data directory or a server. */
import { CommandError, EXIT } from './exit-codes.ts'

export interface SourceOptions {
  readonly file?: readonly string[]
  readonly data?: string
  readonly server?: string
  readonly token?: string
  readonly lookup?: readonly string[]
  readonly from?: string
  readonly to?: string
  readonly timeField?: string
}

/** One would be answered and the others passed over. @throws {CommandError} when several are named */
export function refuseSeveralSources({ file, data, server }: SourceOptions): void {
  if (file !== undefined && server !== undefined)
    throw new CommandError(EXIT.usage, '--file and --server exclude each other: quern ingest sends files to a server')
  if (data !== undefined && (file !== undefined || server !== undefined))
    throw new CommandError(EXIT.usage, `--data and ${file !== undefined ? '--file' : '--server'} exclude each other`)
}
