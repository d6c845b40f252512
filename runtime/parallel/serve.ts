/** A thread's side: tasks come in, states go out. What a plan means and where parts are is given by whoever composes the thread. */
import { parentPort } from 'node:worker_threads'
import type { BlockReader, PartReader } from '../../storage/index.ts'
import { Turn } from '../../storage/turns.ts'
import { executePartial } from '../execute.ts'
import type { Interner } from '../helpers/interner.ts'
import { Lru } from '../helpers/lru.ts'
import type { Place } from '../operators/scan.ts'
import type { AggregateSpec } from '../program.ts'
import { Claims } from './claims.ts'
import type { BlockPlace } from './lanes.ts'
import type { Order, Reply, Request } from './messages.ts'
import { packValues } from './values.ts'
import { type WholeRooms, WholeRuns } from './whole.ts'

export interface ThreadRooms {
  assemble(plan: string, query: string): AggregateSpec
  open(path: string): PartReader
}

/** Programs kept: a query that is asked again is not compiled again. */
const PROGRAMS_MAX = 200
/** A thread hears of new work, and of cancellation, so often at least (but for a block that takes longer). */
const TURN_MS = 2

export function serve(rooms: ThreadRooms & WholeRooms): void {
  const port = parentPort
  if (port === null) throw new Error('this module runs in a thread of its own')
  const answer = answering(rooms)
  const open: Generator<void, Reply>[] = []
  // A block of each in turn: a short query does not wait for the end of a long one. Going round the event loop for each block took as long as small blocks do.
  const step = (): void => {
    const turn = new Turn(TURN_MS)
    do {
      const work = open.shift()!
      const { done, value: reply } = work.next()
      if (!done) open.push(work)
      // Copied: memory that moves would have V8 ask each array of this thread whether it has still got its own (`MachineLoop.room`).
      else port.postMessage(reply)
    } while (open.length > 0 && !turn.isOver)
    if (open.length > 0) setImmediate(step)
  }
  const whole = new WholeRuns(port, rooms)
  port.on('message', (order: Order) => {
    if ('task' in order) {
      if (open.push(answer(order)) === 1) setImmediate(step)
    } else if ('whole' in order) whole.start(order.id, order.whole)
    else if ('more' in order) whole.more(order.id)
    else whole.stop(order.id)
  })
  port.postMessage('ready')
}

/** Requests in steps, of which several may be under way; never throws. */
export function answering(rooms: ThreadRooms): (request: Request) => Generator<void, Reply> {
  const programs = new Lru<string, AggregateSpec>(PROGRAMS_MAX)
  return function* (request) {
    try {
      return (yield* run(request, rooms, programs)) ?? { id: request.id, failed: 'canceled' }
    } catch (error) {
      // The asking thread does this work again itself, and meets the error where it can be told.
      return { id: request.id, failed: error instanceof Error ? error.message : String(error) }
    }
  }
}

function* run(
  { id, task, known, canceled }: Request,
  rooms: ThreadRooms,
  programs: Lru<string, AggregateSpec>,
): Generator<void, Reply | null> {
  const flag = new Int32Array(canceled)
  const spec = programs.getOrMake(task.plan, () => rooms.assemble(task.plan, task.query))
  const claims = new Claims(task.claims)
  const found = yield* executePartial(spec, task.hash, placesOf(task.places, rooms), {
    takes: at => claims.take(task.places[at]!.number, task.share),
    nowMicros: task.nowMicros,
    memoryBytes: task.memoryBytes,
    isCanceled: () => Atomics.load(flag, 0) !== 0,
  })
  if (found === null) return null
  const { partial, profile, interner } = found
  if (profile.damaged.length > 0) return { id, failed: profile.damaged.join('; ') }
  const generation = generationOf(interner)
  const from = known.generation === generation ? known.count : 0
  return { id, partial, profile, generation, from, values: packValues(interner.valuesFrom(from)) }
}

function placesOf(places: readonly BlockPlace[], rooms: ThreadRooms): Place[] {
  return places.map(place => new PlaceOnDisk(place, rooms))
}

/** Most of the blocks named to a thread another will have done: a part is opened when its first block is read. */
class PlaceOnDisk implements Place {
  readonly number: number
  readonly rowOrderBase: number
  readonly partNumber = 0
  readonly #path: string
  readonly #rooms: ThreadRooms

  constructor({ path, block, rowOrderBase }: BlockPlace, rooms: ThreadRooms) {
    this.number = block
    this.rowOrderBase = rowOrderBase
    this.#path = path
    this.#rooms = rooms
  }

  get part(): PartReader {
    return this.#rooms.open(this.#path)
  }

  get block(): BlockReader {
    return this.part.block(this.number)
  }
}

const generations = new WeakMap<Interner, number>()
let generationCount = 0

function generationOf(interner: Interner): number {
  let generation = generations.get(interner)
  if (generation === undefined) generations.set(interner, (generation = generationCount++))
  return generation
}
