/**
 * `npm run bench -- --http`: the questions of the suite put to an engine in this process and, in turns, to a server over the same data: what HTTP, JSON and
 * another process add. Both answer whole; the server's kept answers are thrown away before each.
 */
import { Agent } from 'node:http'
import { open } from '../../engine.ts'
import { growingDirectory } from './beside.ts'
import type { Events } from './generate.ts'
import { quernDirectory } from './load.ts'
import { spreadOf } from './measure.ts'
import { call, type Subject, startServer, timed } from './subject.ts'
import type { Question } from './suite.ts'

/** More rows than any question has. */
const LIMIT = 50_000
const WARM_UPS = 12

export async function runHttp(
  questions: readonly Question[],
  events: Events,
  runs: number,
  say: (text: string) => void,
): Promise<void> {
  // A directory has one owner.
  const server = await startServer({}, growingDirectory(events).directory)
  const engine = await open(quernDirectory(events))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  say(
    `${'question'.padEnd(46)}${'open() ms'.padStart(10)}${'HTTP ms'.padStart(10)}${'added'.padStart(9)}${'answer'.padStart(12)}`,
  )
  try {
    for (const { name, quern } of questions) {
      const inside: number[] = []
      const outside: number[] = []
      let bytes = 0
      for (let run = -WARM_UPS; run < runs; run++) {
        const own = await timed(() => engine.query(quern).collect())
        await call(server, agent, 'DELETE', '/api/v1/cache', undefined, {})
        const theirs = await timed(async () => {
          bytes = await askServer(server, agent, quern)
        })
        if (run < 0) continue
        inside.push(own)
        outside.push(theirs)
      }
      const [own, theirs] = [spreadOf(inside).median, spreadOf(outside).median]
      const added = theirs - own
      say(
        `${name.padEnd(46)}${own.toFixed(1).padStart(10)}${theirs.toFixed(1).padStart(10)}${added.toFixed(1).padStart(9)}${`${(bytes / 1024).toFixed(1)} KiB`.padStart(12)}`,
      )
    }
  } finally {
    agent.destroy()
    await engine.close()
    await server.stop()
  }
}

/** @returns bytes of the answer */
async function askServer(server: Subject, agent: Agent, q: string): Promise<number> {
  const body = JSON.stringify({ q, limit: LIMIT })
  const { status, text } = await call(server, agent, 'POST', '/api/v1/query', body)
  if (status !== 200) throw new Error(`${q}: ${status} ${text.slice(0, 300)}`)
  return Buffer.byteLength(text)
}
