/** Which of the known names someone probably meant: for options, parameters and paths. */

export function nearest(given: string, known: readonly string[], most = 3): readonly string[] {
  const wanted = given.toLowerCase()
  const last = wanted.slice(wanted.lastIndexOf('.') + 1)
  return known
    .map(name => ({ name, distance: distanceTo(wanted, last, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(name.length, wanted.length) / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name)
}

/** A name written without its section (`flush_age` for `ingest.flush_age`) is near too. */
function distanceTo(wanted: string, last: string, name: string): number {
  return Math.min(editDistance(wanted, name), editDistance(last, name.slice(name.lastIndexOf('.') + 1)) + 0.5)
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8) return 99
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
