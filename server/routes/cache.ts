/** The query cache: what it holds, and how to empty it. */
import { route } from './route.ts'

export const CACHE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/v1/cache/stats',
    scope: 'admin',
    summary: 'Hits, misses and size of the query cache',
    answers: '{hits, misses, hit_rate, entries, size_bytes, max_bytes, evictions}',
    handle: ({ context }) => ({ data: context.cache.stats() }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/cache',
    scope: 'admin',
    summary: 'Empty the query cache',
    answers: '{cleared}',
    handle: ({ context }) => ({ data: { cleared: context.cache.clear() } }),
  }),
]
