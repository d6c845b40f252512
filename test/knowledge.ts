/** What completion is told in the tests: the whole language, and a few fields as the logs of a shop would have. */
import { languageCatalog } from '../compiler/index.ts'
import type { Knowledge } from '../grammar/index.ts'

export const KNOWLEDGE: Knowledge = {
  language: languageCatalog(),
  indexes: ['main', 'app-errors', 'web'],
  views: [{ name: 'mv_errors', documentation: 'Errors by host.' }],
  saved: [{ name: 'slow' }],
  lookups: [{ name: 'owners', columns: ['host', 'team'] }],
  variables: ['threshold'],
  fields: [
    { name: '_time', type: 'datetime', coverage: 1 },
    { name: '_raw', type: 'string', coverage: 1 },
    { name: 'host', type: 'string', coverage: 1, values: ['web-1', 'web-2', 'db 1'] },
    { name: 'level', type: 'string', coverage: 0.9, values: ['error', 'warn', '500'] },
    { name: 'status', type: 'int', coverage: 0.6, values: [200, 404, 500] },
    { name: 'ms', type: 'float', coverage: 0.005 },
    { name: 'http.status', type: 'any' },
    { name: 'user-id', type: 'string', coverage: 0.25, values: ['ann', 'say "hi"'] },
  ],
}
