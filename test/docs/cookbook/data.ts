/** The real logs the cookbook runs on: where they are on this machine, and what a query over one of them prints. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hintLine } from '../../../cli/hints.ts'
import { createMemoryEngine } from '../../../cli/memory-engine.ts'
import { tableOf } from '../../../cli/print-run.ts'
import type { Engine } from '../../../engine.ts'
import { NOW } from '../../case-input.ts'
import { repositoryRoot } from '../../repository.ts'
import type { CookbookSection } from './entry.ts'

/** Columns of the terminal that the outputs are laid out for. */
const WIDTH = 140

/** `QUERN_DATA`, or `../shared/data` beside the checkout or beside the directory it is in; null where there is none. */
export function dataDirectory(): string | null {
  const root = repositoryRoot()
  const places = [process.env.QUERN_DATA ?? '', join(root, '../shared/data'), join(root, '../../shared/data')]
  return places.find(place => place !== '' && existsSync(place)) ?? null
}

export async function withData<T>(
  directory: string,
  section: CookbookSection,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await createMemoryEngine([join(directory, section.file)], {
    timeField: section.timeField,
    receivedAt: NOW,
  })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** As `quern query --format table` prints it on a terminal, with what it says beside the rows. */
export async function outputOf(engine: Engine, query: string): Promise<string> {
  const run = engine.query(query, { now: NOW })
  const { columns, rows } = await run.collect()
  const { text, note } = tableOf(columns, rows, run.shape.made ?? [], WIDTH)
  return [text.trimEnd(), ...(note === null ? [] : [note]), ...run.hints.map(hintLine)].join('\n')
}
