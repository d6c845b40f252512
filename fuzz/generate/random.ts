/** Randomness that a seed repeats exactly, on every machine. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  int(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** A random subset, never empty: swarm testing leaves most features out of each run, so that the rest meet more often. */
  some<T>(items: readonly T[]): T[]
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error('nothing to pick from')
    return items[int(0, items.length - 1)] as T
  }
  return {
    next,
    int,
    pick,
    chance: probability => next() < probability,
    some: items => {
      const rate = 0.15 + next() * 0.85
      const chosen = items.filter(() => next() < rate)
      return chosen.length > 0 ? chosen : [pick(items)]
    },
  }
}
