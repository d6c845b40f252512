/** Which candidates fit what has been typed, and in which order: beginnings first, then letters in order; stable otherwise. */

export type Fit = 0 | 1 | 2

/**
 * 0: the label begins with it; 1: a part of it does (`status` in `http.status`, `error` in `on_error`); 2: its letters occur in
 * order; null: not at all. Case counts for nothing.
 */
export function fitOf(label: string, typed: string): Fit | null {
  if (typed === '') return 0
  const name = label.toLowerCase()
  const wanted = typed.toLowerCase()
  if (name.startsWith(wanted)) return 0
  for (let at = name.indexOf(wanted, 1); at !== -1; at = name.indexOf(wanted, at + 1)) {
    if (/[^a-z0-9]/.test(name[at - 1] ?? '')) return 1
  }
  let at = 0
  for (const char of wanted) {
    at = name.indexOf(char, at) + 1
    if (at === 0) return null
  }
  return 2
}

export interface Ranked {
  readonly label: string
  readonly kind: string
  /** Lower groups first among equal fits. */
  readonly group: number
}

/** The fitting ones, best first, each label of a kind once. O(n log n). */
export function rank<T extends Ranked>(candidates: readonly T[], typed: string): T[] {
  const seen = new Map<string, { readonly candidate: T; readonly fit: Fit }>()
  for (const candidate of candidates) {
    const fit = fitOf(candidate.label, typed)
    if (fit === null) continue
    const key = `${candidate.kind} ${candidate.label}`
    const known = seen.get(key)
    if (known === undefined || candidate.group < known.candidate.group) seen.set(key, { candidate, fit })
  }
  // `sort` is stable: what is equal stays as it came.
  return [...seen.values()]
    .sort((a, b) => a.fit - b.fit || a.candidate.group - b.candidate.group)
    .map(({ candidate }) => candidate)
}
