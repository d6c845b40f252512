/** `quern server`: opens the data directory, listens, says what to try next, and stops cleanly. */
import { existsSync, mkdirSync } from 'node:fs'
import { open } from '../../engine.ts'
import { ConfigError, loadConfig } from '../../server/config.ts'
import { listen, type RunningServer } from '../../server/listen.ts'
import { warmUp } from '../../server/warm-up.ts'
import type { Quarantined } from '../../storage/index.ts'
import { malloc } from '../../storage/malloc.ts'
import { dataHome } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { setAside } from '../open-data.ts'

export interface ServerOptions {
  readonly port?: string
  readonly host?: string
  readonly data?: string
  readonly config?: string
}

/** @throws {CommandError} when a setting is wrong, or nobody could reach it */
export async function server(options: ServerOptions): Promise<void> {
  try {
    await serve(options)
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(EXIT.usage, error.message)
    throw error
  }
}

async function serve(options: ServerOptions): Promise<void> {
  const config = loadConfig({
    ...(options.config !== undefined && { file: options.config }),
    flags: {
      ...(options.port !== undefined && { port: options.port }),
      ...(options.host !== undefined && { host: options.host }),
      ...(options.data !== undefined && { data: options.data }),
    },
  })
  const directory = config.get('data') || dataHome()
  const isFirstStart = !existsSync(directory)
  mkdirSync(directory, { recursive: true })
  const onDamage = (damaged: Quarantined): void => void process.stderr.write(`${setAside(damaged)}\n`)
  // LMDB makes lists of 131,072 pages and uses a few of them: on what loading the modules left behind all of it stays resident, 2.5 MiB of a server at rest.
  await malloc().trim()
  const engine = await open(directory, { ...config.engineOptions(), onDamage })
  const running = await listen(engine, config).catch(async error => {
    await engine.close()
    throw error
  })
  process.stdout.write(`${greeting(running, directory, isFirstStart, engine.status().quarantined)}\n`)
  await warmUp(engine)
  await running.closed
}

function greeting(
  { url, rootToken }: RunningServer,
  directory: string,
  isFirstStart: boolean,
  quarantined: readonly Quarantined[],
): string {
  const lines = [`quern is listening on ${url}`, `data in ${directory}`]
  lines.push(...quarantined.map(setAside))
  if (rootToken !== null)
    lines.push('', `root key, shown this once: ${rootToken}`, `  quern … --token ${rootToken}`, '')
  if (isFirstStart) {
    lines.push(
      '',
      'Try, in another terminal:',
      '',
      `  curl -s ${url}/api/v1/ingest -d '[{"event":"disk full on /var","fields":{"level":"error","host":"web-1"}}]'`,
      `  curl -s -G ${url}/api/v1/query --data-urlencode 'q=level=error | stats count() by host'`,
      '',
      'or live events with an incident to find:',
      '',
      `  npm run -s quern -- demo`,
      `  npm run -s quern -- query --server ${url} 'level=error | stats count() by service, bin(_time, 1m)'`,
    )
  }
  return lines.join('\n')
}
