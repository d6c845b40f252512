/**
 * Values as JSON that says their types: what JSON has is itself, everything else an object of one member that begins with `$`. An object
 * that looks like one is wrapped, so that no value is taken for another.
 */
import { DateTime, Duration, type Value } from '../../storage/value.ts'

export function toTypedJson(value: Value): string {
  return JSON.stringify(tagged(value))
}

function tagged(value: Value): unknown {
  switch (typeof value) {
    case 'undefined':
      return { $missing: true }
    case 'bigint':
      return { $int: String(value) }
    case 'number':
      return Object.is(value, -0) ? { $float: '-0' } : value
    case 'object':
      break
    default:
      return value
  }
  if (value === null) return null
  if (value instanceof DateTime) return { $time: [value.micros, value.nanos] }
  if (value instanceof Duration) return { $duration: value.ns }
  if (Array.isArray(value)) return value.map(tagged)
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, tagged(member as Value)]))
  const names = Object.keys(members)
  return names.length === 1 && names[0]!.startsWith('$') ? { $object: members } : members
}

/** @throws {SyntaxError} when the text is none of `toTypedJson` */
export function fromTypedJson(text: string): Value {
  return untagged(JSON.parse(text))
}

function untagged(value: unknown): Value {
  if (value === null || typeof value !== 'object') return value as Value
  if (Array.isArray(value)) return value.map(untagged)
  const names = Object.keys(value)
  const [name] = names
  const content = (value as Record<string, unknown>)[name ?? '']
  if (names.length !== 1 || !name!.startsWith('$')) return membersOf(value)
  switch (name) {
    case '$missing':
      return undefined
    case '$int':
      return BigInt(String(content))
    case '$float':
      return Number(content)
    case '$time': {
      const [micros, nanos] = content as [number, number]
      return new DateTime(micros, nanos)
    }
    case '$duration':
      return new Duration(Number(content))
    case '$object':
      return membersOf(content as object)
    default:
      throw new SyntaxError(`${name} is no type`)
  }
}

function membersOf(object: object): Value {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, untagged(member)]))
}
