/** The README is true: its commands hold queries that compile, or that are wrong as shown; where the log is at hand the table is the one printed. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createMemoryEngine } from '../../cli/memory-engine.ts'
import { tableOf } from '../../cli/print-run.ts'
import { open } from '../../engine.ts'
import { NOW } from '../case-input.ts'
import { repositoryRoot } from '../repository.ts'
import { dataDirectory } from './cookbook/data.ts'

interface Command {
  readonly query: string
  readonly file: string | null
  /** What the block shows below the command. */
  readonly shown: string
}

const page = readFileSync(join(repositoryRoot(), 'README.md'), 'utf8')
const directory = dataDirectory()

function commands(): Command[] {
  const blocks = [...page.matchAll(/^```(?:console|sh)\n([\s\S]*?)^```$/gm)].map(([, body = '']) => body)
  return [...blocks, page.replace(/^```[\s\S]*?^```$/gm, '')].flatMap(block =>
    [...block.matchAll(/quern -- (?:query|explain) (?:-f (\S+) )?'([^']+)'[^\n]*\n?([\s\S]*)|q=([^']+)'/g)].map(
      ([, file, query, shown, parameter]) => ({
        query: query ?? parameter ?? '',
        file: file ?? null,
        shown: shown ?? '',
      }),
    ),
  )
}

describe('the README', () => {
  it('has queries', () => assert.ok(commands().length >= 5, `${commands().length} found`))

  for (const { query, file, shown } of commands()) {
    it(`says of ${query.replace(/\s+/g, ' ').slice(0, 60)} what is so`, async () => {
      const engine = await open(null)
      const explanation = await engine.explain(query, { now: NOW })
      await engine.close()
      assert.equal(explanation.is_valid, !/^E\d{3}: /m.test(shown))
      if (directory === null || file === null || !existsSync(join(directory, file)) || !shown.includes('──')) return
      const real = await createMemoryEngine([join(directory, file)], { receivedAt: NOW })
      const run = real.query(query, { now: NOW })
      const { columns, rows } = await run.collect()
      await real.close()
      assert.equal(tableOf(columns, rows, [], null).text, shown)
    })
  }
})
