/** `--beside <n>`: events that go into another index of the same store, so many a second, while questions are put to it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../engine.ts'
import type { Events } from './generate.ts'
import { quernDirectory } from './load.ts'

const INTERVAL_MS = 50
const LINES = 50_000

/** A copy of the loaded directory, which may grow. */
export function growingDirectory(events: Events): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'quern-bench-'))
  cpSync(quernDirectory(events), directory, { recursive: true })
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/** Lines of the same file over and over, by the clock: what could not be sent in time is sent later. @returns what stops it */
export async function ingestBeside(engine: Engine, events: Events, perSecond: number): Promise<() => void> {
  const lines = await firstLines(events.file)
  const startedAt = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
    while (sent < due) {
      const from = sent % lines.length
      const batch = lines.slice(from, from + due - sent)
      engine.ingest(batch, { index: 'beside' })
      sent += batch.length
    }
  }, INTERVAL_MS)
  return () => clearInterval(timer)
}

async function firstLines(path: string): Promise<string[]> {
  const lines: string[] = []
  const file = await openFile(path)
  for await (const line of file.readLines()) if (lines.push(line) === LINES) break
  await file.close()
  return lines
}
