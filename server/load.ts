/**
 * Libraries that most servers never need, loaded by the first request that does: `load('ws') as typeof import('ws')`. At once and not by
 * `import()`, so that whoever needs one need not wait in the middle of what he does; each takes a few milliseconds, once.
 */
import { createRequire } from 'node:module'

export const load: (library: string) => unknown = createRequire(import.meta.url)
