/** Near names for typos. */

/**
 * The candidate nearest to a name, or null when none is near enough: one edit for short names, two from five letters,
 * three from nine. Swapped neighbours count as one edit; case counts for nothing. O(candidates × length²).
 */
export function suggestName(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.toLowerCase()
  const limit = wanted.length < 3 ? 0 : wanted.length < 5 ? 1 : wanted.length < 9 ? 2 : 3
  if (wanted.length > 64) return null
  let best: string | null = null
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < bestDistance && candidate !== name) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Damerau–Levenshtein with neighbouring swaps (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(substituted, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
