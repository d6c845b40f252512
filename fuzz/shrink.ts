/** Takes stages and lines away as long as the failure stays: what is left is what it takes. */
export interface Shrinkable {
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
function* smaller({ stages, lines }: Shrinkable): Generator<Shrinkable> {
  if (lines.length > 1) {
    const half = Math.ceil(lines.length / 2)
    yield { stages, lines: lines.slice(0, half) }
    yield { stages, lines: lines.slice(half) }
  }
  for (const i of stages.keys()) yield { stages: stages.filter((_, at) => at !== i), lines }
  for (const i of lines.keys()) yield { stages, lines: lines.filter((_, at) => at !== i) }
  for (const [i, line] of lines.entries()) {
    const members = Object.entries(JSON.parse(line) as Record<string, unknown>)
    // A number that JSON.parse would round is left as it is.
    if (/\d{16}/.test(line)) continue
    for (const [name] of members.filter(([name]) => name !== 'id')) {
      const fewer = JSON.stringify(Object.fromEntries(members.filter(([other]) => other !== name)))
      yield { stages, lines: lines.map((other, at) => (at === i ? fewer : other)) }
    }
  }
}
