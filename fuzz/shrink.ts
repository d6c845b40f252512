/** Takes stages and lines away as long as the failure stays: what is left is what it takes. */
export interface Shrinkable {
  readonly lets: readonly string[]
  readonly stages: readonly string[]
  readonly lines: readonly string[]
}

const MAX_ATTEMPTS = 400

export async function shrink(start: Shrinkable, fails: (each: Shrinkable) => Promise<boolean>): Promise<Shrinkable> {
  let best = start
  let attempts = 0
  for (let improved = true; improved && attempts < MAX_ATTEMPTS; ) {
    improved = false
    for (const candidate of smaller(best)) {
      if (++attempts > MAX_ATTEMPTS) break
      if (await fails(candidate)) {
        best = candidate
        improved = true
        break
      }
    }
  }
  return best
}

/** Big steps first: half of the lines, then a stage, then a line, then one member of a line. */
function* smaller(each: Shrinkable): Generator<Shrinkable> {
  const { lets, stages, lines } = each
  if (lines.length > 1) {
    const half = Math.ceil(lines.length / 2)
    yield { ...each, lines: lines.slice(0, half) }
    yield { ...each, lines: lines.slice(half) }
  }
  // Of many lines, stretches first: one by one would use up all attempts.
  for (let size = lines.length >> 2; size > Math.max(4, lines.length >> 5); size >>= 1) {
    for (let at = 0; at < lines.length; at += size) yield { ...each, lines: lines.toSpliced(at, size) }
  }
  for (const i of lets.keys()) yield { ...each, lets: lets.filter((_, at) => at !== i) }
  for (const i of stages.keys()) yield { ...each, stages: stages.filter((_, at) => at !== i) }
  for (const [i, text] of lets.entries())
    for (const less of withoutAStage(text)) yield { ...each, lets: lets.with(i, less) }
  for (const [i, text] of stages.entries())
    for (const less of withoutAStage(text)) yield { ...each, stages: stages.with(i, less) }
  for (const i of lines.keys()) yield { ...each, lines: lines.filter((_, at) => at !== i) }
  for (const [i, line] of lines.entries()) {
    const members = Object.entries(JSON.parse(line) as Record<string, unknown>)
    // A number that JSON.parse would round is left as it is.
    if (/\d{16}/.test(line)) continue
    for (const [name] of members.filter(([name]) => name !== 'id')) {
      const fewer = JSON.stringify(Object.fromEntries(members.filter(([other]) => other !== name)))
      yield { ...each, lines: lines.with(i, fewer) }
    }
  }
}

/** Stages of a pipeline within the text; what is no query any more does not fail as the query did. */
function* withoutAStage(text: string): Generator<string> {
  for (const match of text.matchAll(/ \| [^|\][;]+/g)) {
    yield text.slice(0, match.index) + text.slice(match.index + match[0].length)
  }
}
