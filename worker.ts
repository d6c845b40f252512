/** The composition root of a scan thread: the compiler makes programs of plans, storage opens parts, the runtime runs the one over the other. */
import { workerData } from 'node:worker_threads'
import { assembleSplit, assembleWhole } from './compiler/index.ts'
import type { ThreadData } from './runtime/parallel/messages.ts'
import { serve } from './runtime/parallel/serve.ts'
import { stepBack } from './storage/nice.ts'
import { createPartFiles } from './storage/part-files.ts'

/** Behind the thread that takes requests. It helps a little: with ten queries on two cores that one waited half of its time at 19, two thirds at 5. */
const NICENESS = 10

const { cacheBytes, poolBytes, stepsBack } = workerData as ThreadData
if (stepsBack) stepBack(NICENESS)
const files = createPartFiles(cacheBytes)

serve({ poolBytes, assemble: assembleSplit, assembleWhole, open: path => files.open(path) })
