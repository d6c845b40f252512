/**
 * Zstandard, loaded by whoever imports this: readers and writers of part files. What else makes chunks (a query over a pipe whose
 * sort goes to disk) does without, and starts sooner.
 */
import { readyZstd } from './zstd.ts'

// Awaited once at load: compressing is synchronous.
await readyZstd()
