/**
 * Fields of events that look alike: the names are told once, and each event is its values. A map per event costs as much as parsing it, and
 * whoever appends events of one shape need not look up a column by name.
 */
import type { Value } from '../value.ts'

/** The names of an event's fields, in order. One object for all events that have just these. */
export class Shape {
  readonly names: readonly string[]
  /** By name, where its value stands. */
  readonly places: ReadonlyMap<string, number>

  /** @param names  each once */
  constructor(names: readonly string[]) {
    this.names = names
    this.places = new Map(names.map((name, place) => [name, place]))
  }
}

/** The fields of one event. Immutable, as the maps it stands for are. */
export class ShapedFields implements ReadonlyMap<string, Value> {
  readonly shape: Shape
  /** One for each name. */
  readonly shapedValues: readonly Value[]

  constructor(shape: Shape, values: readonly Value[]) {
    this.shape = shape
    this.shapedValues = values
  }

  get size(): number {
    return this.shapedValues.length
  }

  get(name: string): Value {
    const place = this.shape.places.get(name)
    return place === undefined ? undefined : this.shapedValues[place]
  }

  has(name: string): boolean {
    return this.shape.places.has(name)
  }

  forEach(callback: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    for (let place = 0; place < this.size; place++) callback(this.shapedValues[place], this.shape.names[place]!, this)
  }

  *entries(): MapIterator<[string, Value]> {
    for (let place = 0; place < this.size; place++) yield [this.shape.names[place]!, this.shapedValues[place]]
  }

  keys(): MapIterator<string> {
    return this.shape.names.values()
  }

  values(): MapIterator<Value> {
    return this.shapedValues.values()
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }
}

/** From this many characters on a piece of a string keeps the whole string alive. */
const SLICE_CHARACTERS = 13

/** The same string, keeping nothing else in memory: for what stays when the line it was cut out of may go. */
export function detached<Kept>(value: Kept): Kept {
  if (typeof value !== 'string' || value.length < SLICE_CHARACTERS) return value
  // What is written and read again is a string of its own, lone surrogates included.
  return JSON.parse(JSON.stringify(value)) as Kept
}
