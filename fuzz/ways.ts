/** Ways of answering a query over lines: the engine in its many states, and the reference. Targets set them against each other. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOW, type RunOptions, readEvents } from '../test/case-input.ts'
import { answer, answerInLittleMemory } from '../test/harness.ts'
import { askReference } from '../test/reference/index.ts'
import type { NamedRow } from '../test/rows.ts'
import { TABLE, tablePaths } from './generate/table.ts'

export type Ask = (text: string, lines: readonly string[]) => Promise<readonly NamedRow[]>

/** By name; the first is what the others are held to. */
export type Ways = Readonly<Record<string, Ask>>

export function engineWith(options: RunOptions): Ask {
  return async (text, lines) => (await answer(text, eventsOf(lines), { ...options, lookupPaths: tablePaths() })).rows
}

/** So that stages write to disk what they hold. */
export function inLittleMemory(options: RunOptions & { readonly memoryBytes: number }): Ask {
  return async (text, lines) =>
    (await answerInLittleMemory(text, eventsOf(lines), { ...options, lookupPaths: tablePaths() })).rows
}

export const reference: Ask = async (text, lines) =>
  askReference(text, eventsOf(lines), { now: NOW, lookups: { table: TABLE } }).rows.map(
    row => new Map([...row].filter(([name, value]) => value !== undefined && name !== 'index')),
  )

/** From part files, in a directory made for the run. */
export function onDisk(options: RunOptions): Ask {
  return async (text, lines) => {
    const directory = mkdtempSync(join(tmpdir(), 'quern-fuzz-'))
    try {
      return await engineWith({ ...options, directory })(text, lines)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

function eventsOf(lines: readonly string[]): ReturnType<typeof readEvents> {
  return readEvents([{ index: 'main', text: lines.join('\n') }])
}
