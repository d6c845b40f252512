/** The settings in force, where each comes from, and changing those that can change while the server runs. */
import { Type } from '@sinclair/typebox'
import type { ConfigEntry } from '../config.ts'
import { ConfigError } from '../config.ts'
import { RequestError } from '../errors.ts'
import { route } from './route.ts'

const SETTINGS = Type.Object({}, { additionalProperties: true })

export const CONFIG_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/config',
    scope: 'admin',
    summary: 'Every setting with its value and where that comes from',
    answers: '{config: {<name>: {value, text, origin, default, kind, reload, doc}}}',
    handle: ({ context }) => ({ data: { config: shown(context.config.entries()) } }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/config',
    scope: 'root',
    summary: 'Change settings until the server stops: {"query.max_concurrent": 20}, nested or dotted',
    body: SETTINGS,
    answers: '{config, applied: [name], restart_required: [name]}',
    handle({ context, body }) {
      try {
        const { applied, restartRequired } = context.config.patch(body)
        context.onConfigChanged(applied)
        return { data: { config: shown(context.config.entries()), applied, restart_required: restartRequired } }
      } catch (error) {
        if (error instanceof ConfigError) throw new RequestError('VALIDATION_ERROR', error.message)
        throw error
      }
    },
  }),
]

function shown(entries: readonly ConfigEntry[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(({ name, value, text, origin, default: initial, kind, reload, doc }) => [
      name,
      { value, text, origin, default: initial, kind, reload, doc },
    ]),
  )
}
