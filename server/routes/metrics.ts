/** The same counters twice: for Prometheus, open to all, and as JSON. */
import { route } from './route.ts'

export const METRICS_ROUTES = [
  route({
    method: 'GET',
    path: '/metrics',
    scope: 'open',
    summary: 'Every counter, in the Prometheus text format',
    async handle({ context, reply }) {
      const text = await context.metrics.text()
      reply.type(context.metrics.contentType)
      return text
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/metrics',
    scope: 'query',
    summary: 'Every counter, as JSON',
    answers: '{<name>: {type, help, value | values: [{labels, value}]}}',
    handle: async ({ context }) => ({ data: await context.metrics.json() }),
  }),
]
