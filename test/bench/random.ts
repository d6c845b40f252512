/** Seeded numbers for the benchmark's events: the same seed must give the same file on every machine and in every version. */

export interface Random {
  /** 0 … 2^32 - 1 */
  uint32(): number
  /** 0 ≤ x < 1 */
  unit(): number
  /** 0 … n - 1 */
  below(n: number): number
  /** Mean 0, deviation 1. */
  normal(): number
}

/** sfc32: small, fast, and long enough that two million events never meet a cycle. */
export function createRandom(seed: number): Random {
  let a = 0x9e3779b9 | 0
  let b = 0x243f6a88 | 0
  let c = seed | 0
  let counter = 1
  const uint32 = (): number => {
    const result = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + result) | 0
    return result >>> 0
  }
  // Nearby seeds start out alike; a few rounds part them.
  for (let round = 0; round < 16; round++) uint32()
  const unit = (): number => uint32() / 0x1_0000_0000
  return {
    uint32,
    unit,
    below: n => Math.floor(unit() * n),
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
  }
}

/** Ranks 0 … count - 1, rank r drawn with a weight of 1 / (r + 1)^exponent. */
export function createZipf(random: Random, count: number, exponent: number): () => number {
  const cumulative = new Float64Array(count)
  let total = 0
  for (let rank = 0; rank < count; rank++) {
    total += (rank + 1) ** -exponent
    cumulative[rank] = total
  }
  return () => {
    const wanted = random.unit() * total
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (cumulative[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
