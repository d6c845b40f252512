/** A thread for whole queries without a thread: the same code, over copies made the way threads make them. */
import { assembleWhole } from '../compiler/index.ts'
import type { WholeRun, WholeThread } from '../runtime/parallel/elsewhere.ts'
import type { WholeReply, WholeTask } from '../runtime/parallel/messages.ts'
import { WholeRuns } from '../runtime/parallel/whole.ts'
import { createPartFiles } from '../storage/part-files.ts'

export class InlineWhole implements WholeThread {
  /** Queries that were answered. */
  answered = 0
  /** Of any kind. */
  messages = 0

  runWhole(task: WholeTask, hear: (reply: WholeReply['of']) => void): WholeRun {
    const files = createPartFiles(1 << 20)
    const port = {
      postMessage: (message: WholeReply) => {
        this.messages++
        const { of } = structuredClone(message)
        if ('done' in of) this.answered++
        if ('done' in of || 'failed' in of) files.close()
        hear(of)
      },
    }
    const runs = new WholeRuns(port, { poolBytes: 1 << 30, assembleWhole, open: path => files.open(path) })
    runs.start(1, structuredClone(task))
    return {
      more: () => runs.more(1),
      stop: () => {
        runs.stop(1)
        files.close()
      },
    }
  }
}
