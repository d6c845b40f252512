/** The composition root of a scan thread: the compiler makes programs of plans, storage opens parts, the runtime runs the one over the other. */
import { workerData } from 'node:worker_threads'
import { assembleSplit, assembleWhole } from './compiler/index.ts'
import type { ThreadData } from './runtime/parallel/messages.ts'
import { serve } from './runtime/parallel/serve.ts'
import { collectAll, stepBack } from './storage/nice.ts'
import { CacheBudget } from './storage/part/cache-budget.ts'
import { createPartFiles } from './storage/part-files.ts'

/** Behind the thread that takes requests. It helps a little: with ten queries on two cores that one waited half of its time at 19, two thirds at 5. */
const NICENESS = 10

const { cache, poolBytes, stepsBack } = workerData as ThreadData
if (stepsBack) stepBack(NICENESS)
/** A thread without work does not collect by itself, and what it has dropped for another would stay. */
const COLLECT_BYTES = 32 * 2 ** 20
let droppedBytes = 0

const files = createPartFiles(
  { budget: CacheBudget.at(cache.memory), share: cache.share },
  {
    onGivenUp(bytes) {
      droppedBytes += bytes
      if (droppedBytes < COLLECT_BYTES) return
      droppedBytes = 0
      collectAll()
    },
  },
)

serve({ poolBytes, assemble: assembleSplit, assembleWhole, open: path => files.open(path) })
