/**
 * Threads without threads: the same tasks, answered in turn by the same code, over copies made the way threads make them. Every case of
 * the ladder can be shared out like this, hundreds in a second and always in the same order.
 */
import { assembleSplit } from '../compiler/index.ts'
import type { Interner } from '../runtime/helpers/interner.ts'
import { IdMirror } from '../runtime/parallel/id-mirror.ts'
import { type LaneRun, type Lanes, type LaneTask, NOT_RUN } from '../runtime/parallel/lanes.ts'
import type { Reply, Request } from '../runtime/parallel/messages.ts'
import { answering } from '../runtime/parallel/serve.ts'
import { createPartFiles, type PartFiles } from '../storage/part-files.ts'

export class InlineLanes implements Lanes {
  readonly rowsMin = 0
  readonly work = null
  /** Tasks that were answered with a state. */
  answered = 0
  readonly #lanes: {
    readonly files: PartFiles
    readonly answer: (request: Request) => Generator<void, Reply>
    mirror: IdMirror | null
  }[]

  constructor(count: number) {
    this.#lanes = Array.from({ length: count }, () => {
      const files = createPartFiles(1 << 20)
      return { files, answer: answering({ assemble: assembleSplit, open: path => files.open(path) }), mirror: null }
    })
  }

  ready(): number {
    return this.#lanes.length
  }

  expected(): number {
    return this.ready()
  }

  run(lane: number, task: LaneTask, interner: Interner): LaneRun {
    const thread = this.#lanes[lane]!
    if (thread.mirror?.interner !== interner) thread.mirror = new IdMirror(interner)
    const { mirror } = thread
    // One after the other the first would take all there is.
    const own = { ...task, places: task.places.slice(0, task.ownCount) }
    const request: Request = { id: 1, task: own, known: mirror.known, canceled: new SharedArrayBuffer(4) }
    const reply = structuredClone(lastOf(thread.answer(structuredClone(request))))
    thread.files.close()
    if ('failed' in reply) return NOT_RUN
    const { partial, profile, generation, from, values } = reply
    mirror.learn(generation, from, values)
    this.answered++
    return { ...NOT_RUN, result: Promise.resolve({ partial, profile, ids: mirror.ids }) }
  }
}

function lastOf<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
