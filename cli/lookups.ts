/** `--lookup users=users.csv`, as often as there are tables. */
import { CommandError, EXIT } from './exit-codes.ts'

/** @throws {CommandError} for what names no file */
export function lookupsOf(given: readonly string[] | undefined): Readonly<Record<string, string>> {
  const entries = (given ?? []).map(text => {
    const [, name, file] = /^([^=]+)=(.+)$/.exec(text) ?? []
    if (name === undefined || file === undefined) {
      throw new CommandError(EXIT.usage, `--lookup takes name=file, such as --lookup users=users.csv, not '${text}'`)
    }
    return [name, file] as const
  })
  return Object.fromEntries(entries)
}

/** A server has its own tables, in its data directory. */
export function refuseLookups(given: readonly string[] | undefined): void {
  if (given === undefined) return
  throw new CommandError(EXIT.usage, '--lookup belongs to local queries; a server reads lookups/ of its data directory')
}
