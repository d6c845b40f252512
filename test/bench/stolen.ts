/**
 * What a virtual machine was kept from: time in which it had work to do and its host ran somebody else. A latency cannot be better than the
 * processors were there, so figures of latency are printed with it. Linux counts it in /proc/stat; elsewhere nothing is said.
 */
import { readFileSync } from 'node:fs'

interface Ticks {
  readonly stolen: number
  readonly all: number
}

export class Stolen {
  readonly #before = ticks()

  /** `, 12 % of the processors stolen`, since it was made. */
  get text(): string {
    const before = this.#before
    const after = ticks()
    if (before === null || after === null || after.all === before.all) return ''
    const share = (after.stolen - before.stolen) / (after.all - before.all)
    return `, ${(share * 100).toFixed(0)} % of the processors stolen`
  }
}

/** user nice system idle iowait irq softirq steal; what guests take is in user already. */
function ticks(): Ticks | null {
  let text: string
  try {
    text = readFileSync('/proc/stat', 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const fields = text.slice(0, text.indexOf('\n')).trim().split(/\s+/).slice(1, 9).map(Number)
  return { stolen: fields[7] ?? 0, all: fields.reduce((sum, each) => sum + each, 0) }
}
