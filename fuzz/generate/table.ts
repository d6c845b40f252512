/** The lookup table of random queries: a few rows that meet the random data, several for one key, one without. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Field } from './data.ts'

export const TABLE = ['host,n,site', 'web-1,1,ams', 'web-1,2,fra', 'web-2,3,', ',4,lon', '7,5,x'].join('\n')

export const TABLE_FIELDS: readonly Field[] = [
  { name: 'host', type: 'any' },
  { name: 'n', type: 'int' },
  { name: 'site', type: 'string' },
]

let path: string | null = null

/** Written once a process, which takes it away when it ends. */
export function tablePaths(): Readonly<Record<string, string>> {
  if (path === null) {
    const directory = mkdtempSync(join(tmpdir(), 'quern-fuzz-table-'))
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
    path = join(directory, 'table.csv')
    writeFileSync(path, TABLE)
  }
  return { table: path }
}
