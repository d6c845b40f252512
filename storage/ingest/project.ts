/** An event with no more than a query reads: of a wide document most fields never become columns. */
import type { IncomingEvent } from '../index.ts'
import type { Value } from '../value.ts'

export function project(event: IncomingEvent, wanted: ReadonlySet<string>): IncomingEvent {
  const fields = new Map<string, Value>()
  for (const name of namesWanted(event.fields.keys(), wanted)) fields.set(name, event.fields.get(name))
  return { index: event.index, time: event.time, raw: wanted.has('_raw') ? event.raw : null, fields }
}

/** Of the names there are, those that are read, in the order of the names. */
export function namesWanted(names: Iterable<string>, wanted: ReadonlySet<string>): string[] {
  const all = [...names]
  return all.filter(name => wanted.has(name) || isMember(name, all, wanted))
}

/** `a` is read as the object its members `a.b` make. */
function isMember(name: string, all: readonly string[], wanted: ReadonlySet<string>): boolean {
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const owner = name.slice(0, dot)
    if (wanted.has(owner) && !all.includes(owner)) return true
  }
  return false
}
