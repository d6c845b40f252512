/** GET /health: is the server up, and is everything it should serve being served? */
import { readFileSync } from 'node:fs'
import { route } from './route.ts'

export const VERSION = readVersion()

export const HEALTH_ROUTES = [
  route({
    method: 'GET',
    path: '/health',
    scope: 'open',
    summary: 'Is the service ready?',
    handle({ context }) {
      const { quarantined, lastFlushError } = context.engine.status()
      const isDegraded = quarantined.length > 0 || lastFlushError !== null
      return { data: { status: isDegraded ? 'degraded' : 'healthy', degraded: isDegraded, version: VERSION } }
    },
  }),
]

/** The package's, wherever this file was compiled to. */
function readVersion(): string {
  for (const up of ['../../package.json', '../../../package.json', '../../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
      if (name === 'quern') return version
    } catch {
      // Not at this level.
    }
  }
  return 'unknown'
}
