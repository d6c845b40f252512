/** The composition root of a scan thread: the compiler makes programs of plans, storage opens parts, the runtime runs the one over the other. */
import { workerData } from 'node:worker_threads'
import { assembleSplit, assembleWhole } from './compiler/index.ts'
import type { ThreadData } from './runtime/parallel/messages.ts'
import { serve } from './runtime/parallel/serve.ts'
import { stepBack } from './storage/nice.ts'
import { createPartFiles } from './storage/part-files.ts'

/** Far behind the thread that takes requests: of the time that has work, it then waits a third for a processor (two cores, ten queries), and half at 5. */
const NICENESS = 10

stepBack(NICENESS)
const { cacheBytes, poolBytes } = workerData as ThreadData
const files = createPartFiles(cacheBytes)

serve({ poolBytes, assemble: assembleSplit, assembleWhole, open: path => files.open(path) })
