/** Where the repository is: tests run from a build directory, case files and sources stay where they are. */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function repositoryRoot(): string {
  let at = dirname(fileURLToPath(import.meta.url))
  while (!readdirSync(at).includes('package.json')) at = dirname(at)
  return at
}

export function findCaseFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.case'))
    .map(name => join(directory, name))
    .sort()
}
