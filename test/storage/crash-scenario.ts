/**
 * A store lives on a simulated disk, is written to, merged, read and stopped at any moment, and lives again. After every stop: what was
 * acknowledged is there, nothing is there twice, nothing is there that nobody wrote, nothing was set aside, and the store opens.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BackpressureError, CorruptPartError } from '../../storage/errors.ts'
import type { IncomingEvent, PartReader, Snapshot, Store } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { valuesOf } from './part-support.ts'
import { CrashError, type Fault, type FaultPlan, SimulatedDisk } from './simulated-disk.ts'
import { DAY, event, T0 } from './store-support.ts'

export interface CrashRandom {
  next(): number
  int(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

export interface CrashCounts {
  /** Times the process or the machine stopped. */
  crashes: number
  /** Operations that failed and the store went on. */
  failures: number
  opens: number
  acknowledged: number
  merges: number
  snapshotsChecked: number
  operations: number
}

export function noCounts(): CrashCounts {
  return { crashes: 0, failures: 0, opens: 0, acknowledged: 0, merges: 0, snapshotsChecked: 0, operations: 0 }
}

export class BrokenPromise extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenPromise'
  }
}

export interface CrashOptions {
  readonly lives: number
  /** What fails in a life; absent: chosen at random. */
  readonly planOf?: (life: number) => FaultPlan | null
}

const RETENTION_MS = 86_400_000
/** Its events may go once they are older than `RETENTION_MS`. */
const SHORT_INDEX = 'short'

export async function runCrashScenario(random: CrashRandom, options: CrashOptions, counts: CrashCounts): Promise<void> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'quern-crash-'))
  try {
    const world = new World(directory, random, counts)
    for (let life = 0; life < options.lives; life++) {
      const plan = options.planOf === undefined ? randomPlan(random) : options.planOf(life)
      await world.live(plan)
      await world.check()
    }
    for (const [, count] of world.disk.counts) counts.operations += count
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

const FAULTS: readonly Fault[] = ['crash before', 'crash after', 'EIO', 'ENOSPC']

function randomPlan(random: CrashRandom): FaultPlan | null {
  if (random.chance(0.1)) return null
  const fault = random.pick(FAULTS)
  const count = fault.startsWith('crash') ? 1 : random.pick([1, 1, 3, 40])
  return { at: random.int(0, random.pick([40, 400])), count, fault }
}

class World {
  readonly disk: SimulatedDisk
  private readonly directory: string
  private readonly random: CrashRandom
  private readonly counts: CrashCounts
  /** Milliseconds since the epoch. */
  private now = T0 / 1000
  private nextNumber = 0
  private readonly microsOf = new Map<number, number>()
  private readonly indexOf = new Map<number, string>()
  /** Of events that must be found. */
  private readonly acknowledged = new Set<number>()
  private lastSequence = 0

  constructor(directory: string, random: CrashRandom, counts: CrashCounts) {
    this.directory = directory
    this.random = random
    this.counts = counts
    this.disk = new SimulatedDisk(() => random.next())
  }

  async live(plan: FaultPlan | null): Promise<void> {
    const { disk, random, counts } = this
    this.stashCatalog()
    disk.arm(plan)
    let store: Store
    try {
      store = await this.open()
    } catch (error) {
      if (!disk.hasFaulted) throw new BrokenPromise(`the store does not open: ${String(error)}`)
      this.stop()
      return
    }
    try {
      await this.write(store)
    } catch (error) {
      if (!(error instanceof CrashError)) throw error
    }
    if (disk.hasFaulted && !disk.isCrashed) counts.failures++
    // A process may also be killed, with nothing failing before; or end in order.
    if (disk.isCrashed || random.chance(0.6)) disk.crash()
    const isKilled = disk.isCrashed
    await store.close().catch(error => {
      if (!isKilled && !disk.hasFaulted) throw error
    })
    if (isKilled) this.stop()
    else disk.restart('process')
  }

  /** Opens without faults, and looks. */
  async check(): Promise<void> {
    this.disk.arm(null)
    let store: Store
    try {
      store = await this.open()
    } catch (error) {
      throw new BrokenPromise(`the store does not open after a crash: ${String(error)}`)
    }
    const { quarantined, nextSequence, eventCount } = store.status()
    if (quarantined.length > 0) throw new BrokenPromise(`set aside: ${JSON.stringify(quarantined)}`)
    if (nextSequence <= this.lastSequence) {
      throw new BrokenPromise(`sequence numbers go back: ${nextSequence} after ${this.lastSequence} was published`)
    }
    const found = this.numbersNow(store)
    if (found.length !== eventCount) throw new BrokenPromise(`${found.length} events read, ${eventCount} counted`)
    this.compare(found, this.acknowledged, 'acknowledged')
    if (this.random.chance(0.3)) {
      await store.compact()
      this.counts.merges += store.compactions().length
      this.compare(this.numbersNow(store), this.acknowledged, 'acknowledged and merged')
    }
    await store.close()
    if (this.disk.openDescriptors > 0) throw new BrokenPromise(`${this.disk.openDescriptors} files left open`)
    const left = this.disk.files(`${this.directory}/parts`).filter(name => name.includes('/tmp_'))
    if (left.length > 0) throw new BrokenPromise(`left behind: ${left.join(', ')}`)
  }

  private async open(): Promise<Store> {
    const { directory, disk, random } = this
    this.counts.opens++
    const store = await openStore({
      directory,
      filesystem: disk,
      clock: () => this.now,
      blockRows: random.int(1, 9),
      flushAgeMs: random.pick([1, 1e9]),
      flushRows: random.pick([5, 1e9]),
      cache: random.pick([0, 1 << 20]),
    })
    try {
      if (random.chance(0.5)) await store.setRetention(SHORT_INDEX, RETENTION_MS)
    } catch (error) {
      // There was no room for it, or the machine has stopped: either way this life ends here, and its lock with it.
      await store.close().catch(() => {})
      throw error
    }
    return store
  }

  private async write(store: Store): Promise<void> {
    const { random, disk, counts } = this
    const visible = new Set(this.quietly(() => this.numbersNow(store)) ?? [])
    const held: { readonly snapshot: Snapshot; readonly numbers: string }[] = []
    const steps = random.int(4, 40)
    for (let step = 0; step < steps && !disk.isCrashed; step++) {
      switch (random.int(0, 9)) {
        case 0:
          await nextTurn()
          break
        case 1:
          this.now += random.pick([1, 1000, 7_200_000, 90_000_000])
          break
        case 2:
          await this.survive(store.compact())
          break
        case 3:
          await this.survive(store.flush())
          break
        case 4: {
          const snapshot = store.snapshot()
          const numbers = this.quietly(() => this.numbersIn(snapshot))
          if (numbers === null) snapshot.release()
          else {
            this.compare(numbers, visible, 'visible')
            held.push({ snapshot, numbers: [...numbers].sort().join() })
            counts.snapshotsChecked++
          }
          break
        }
        case 5: {
          const last = held.pop()
          if (last === undefined) break
          const again = this.quietly(() => this.numbersIn(last.snapshot).sort().join())
          if (again !== null && again !== last.numbers) throw new BrokenPromise('a snapshot has changed')
          last.snapshot.release()
          break
        }
        default:
          this.append(store, visible)
      }
    }
    counts.merges += store.compactions().length
    if (disk.isCrashed) throw new CrashError()
  }

  private append(store: Store, visible: Set<number>): void {
    const { random } = this
    const events: IncomingEvent[] = []
    const from = this.nextNumber
    const count = random.int(1, 8)
    for (let at = 0; at < count; at++) events.push(this.event())
    try {
      const receipt = store.append(events)
      for (let n = from; n < from + count; n++) visible.add(n)
      if (random.chance(0.3)) return
      receipt.published().then(
        () => {
          // Whoever is told by a machine that has stopped hears nothing.
          if (this.disk.isCrashed) return
          for (let n = from; n < from + count; n++) this.acknowledged.add(n)
          this.counts.acknowledged += count
          this.lastSequence = Math.max(this.lastSequence, receipt.first + count - 1)
        },
        () => {},
      )
    } catch (error) {
      if (!(error instanceof BackpressureError) || !this.disk.hasFaulted) throw error
    }
  }

  private event(): IncomingEvent {
    const { random } = this
    const n = this.nextNumber++
    const index = random.pick(['main', 'main', 'main', 'b', SHORT_INDEX])
    const micros = T0 + random.pick([0, 0, 0, 1, -400, 900]) * DAY + random.int(0, 2000)
    this.microsOf.set(n, micros)
    this.indexOf.set(n, index)
    const raw = random.chance(0.5) ? JSON.stringify({ n, word: 'x'.repeat(random.int(0, 30)) }) : null
    const fields = { n, [`rare${n % 40}`]: n, mixed: random.pick([1, 'one', true, null]), word: `w${random.int(0, 5)}` }
    return event(fields, { index, micros, raw })
  }

  private numbersNow(store: Store): number[] {
    const snapshot = store.snapshot()
    try {
      return this.numbersIn(snapshot)
    } finally {
      snapshot.release()
    }
  }

  private numbersIn(snapshot: Snapshot): number[] {
    return snapshot.parts.flatMap(part => this.numbersOf(part))
  }

  private numbersOf(part: PartReader): number[] {
    const numbers: number[] = []
    for (let at = 0; at < part.blockCount; at++) {
      const block = part.block(at)
      for (const n of valuesOf(block.column('n'), block.rowCount)) {
        if (typeof n !== 'number' || this.indexOf.get(n) !== part.index) {
          throw new BrokenPromise(`${String(n)} in index ${part.index}`)
        }
        numbers.push(n)
      }
      const words = valuesOf(block.column('word'), block.rowCount)
      if (words.some(word => typeof word !== 'string')) throw new BrokenPromise('a word is missing')
    }
    return numbers
  }

  /** `expected` must be in `found`, unless they may have expired; nothing may be there twice. */
  private compare(found: readonly number[], expected: ReadonlySet<number>, what: string): void {
    const present = new Set(found)
    if (present.size !== found.length) {
      const twice = found.filter((n, at) => found.indexOf(n) !== at)
      throw new BrokenPromise(`twice: ${twice.slice(0, 10).join(' ')} of ${found.length}`)
    }
    const lost = [...expected].filter(n => !present.has(n) && !this.mayBeGone(n))
    if (lost.length > 0)
      throw new BrokenPromise(`lost, though ${what}: ${lost.slice(0, 10).join(' ')} of ${expected.size}`)
    for (const n of found) if (!this.indexOf.has(n)) throw new BrokenPromise(`${n} was never written`)
  }

  private mayBeGone(n: number): boolean {
    return this.indexOf.get(n) === SHORT_INDEX && this.microsOf.get(n)! < (this.now - RETENTION_MS) * 1000
  }

  private async survive(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (error instanceof CorruptPartError || !this.disk.hasFaulted) throw error
    }
  }

  /** Null when the disk did not let anyone read. */
  private quietly<Result>(read: () => Result): Result | null {
    try {
      return read()
    } catch (error) {
      if (error instanceof BrokenPromise || error instanceof CorruptPartError || !this.disk.hasFaulted) throw error
      return null
    }
  }

  private stop(): void {
    this.counts.crashes++
    this.disk.crash()
    this.disk.restart(this.random.chance(0.5) ? 'process' : 'machine')
    const { directory, random } = this
    // The catalog is on the real disk: what it last committed may not have arrived, and someone may have deleted it.
    const fate = random.next()
    if (fate < 0.4) fs.rmSync(`${directory}/catalog`, { recursive: true, force: true })
    // It never knows of a part whose file it has let go.
    const mayBeOld = this.disk.removedParts === 0
    if (fate < 0.3 && mayBeOld && fs.existsSync(`${directory}/catalog-before`)) {
      fs.cpSync(`${directory}/catalog-before`, `${directory}/catalog`, { recursive: true })
    }
  }

  private stashCatalog(): void {
    const { directory } = this
    fs.rmSync(`${directory}/catalog-before`, { recursive: true, force: true })
    if (fs.existsSync(`${directory}/catalog`)) {
      fs.cpSync(`${directory}/catalog`, `${directory}/catalog-before`, { recursive: true })
    }
  }
}
