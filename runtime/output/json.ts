/** Values as JSON text: exact integers as digits, datetimes and durations as the language prints them. */
import type { Value } from '../../storage/value.ts'
import { valueToJson } from '../helpers/format-value.ts'

export { valueToJson }

/** One row as an object; missing fields are left out. `keys` are the names as JSON, from `jsonKeys`. */
export function objectToJson(keys: readonly string[], values: readonly Value[]): string {
  let text = '{'
  for (let index = 0; index < keys.length; index++) {
    const value = values[index]
    if (value === undefined) continue
    text += `${text.length > 1 ? ',' : ''}${keys[index]}:${valueToJson(value)}`
  }
  return `${text}}`
}

/** Names ready to be written before their values. */
export function jsonKeys(names: readonly string[]): string[] {
  return names.map(name => JSON.stringify(name))
}

/** One row as an array; missing is null there, because positions count. */
export function rowToJson(values: readonly Value[]): string {
  let text = '['
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    text += valueToJson(values[index])
  }
  return `${text}]`
}
