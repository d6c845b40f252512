/** The fields a stage can name, and what is known of them. Events are open: any field may exist. After stats it is closed. */
import type { ValueType } from '../../storage/value.ts'

export class Scope {
  /** Fields known to exist, in output order; of an open scope only those a stage made. */
  readonly fields: ReadonlyMap<string, ValueType>
  /** Anything else may exist too. */
  readonly isOpen: boolean
  /** A field no stage has made is as it is stored; not so where a stage makes fields nobody can name beforehand. */
  readonly isStored: boolean

  /** Rows are events still: what else exists are their fields. Otherwise what else there is a stage made out of the data. */
  readonly isEvents: boolean
  /** A field that no stage has made is one of the data, if there is such a field; what it holds may have changed. */
  readonly isNamed: boolean

  constructor(
    fields: ReadonlyMap<string, ValueType>,
    isOpen: boolean,
    isStored = false,
    isEvents = isOpen,
    isNamed = isStored,
  ) {
    this.fields = fields
    this.isOpen = isOpen
    this.isStored = isStored
    this.isEvents = isEvents
    this.isNamed = isNamed
  }

  typeOf(name: string): ValueType {
    return this.fields.get(name) ?? 'any'
  }

  has(name: string): boolean {
    return this.isOpen || this.fields.has(name) || this.hasMembers(name)
  }

  /** `a` where only `a.b` exist. */
  hasMembers(name: string): boolean {
    const prefix = `${name}.`
    for (const field of this.fields.keys()) if (field.startsWith(prefix)) return true
    return false
  }

  /** The column that may hold the object of which `a.b.c` is a member, where all columns are known; null: there is none. */
  objectAround(name: string): string | null {
    for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
      const outer = name.slice(0, dot)
      const type = this.fields.get(outer)
      if (type !== undefined) return type === 'any' || type === 'object' ? outer : null
    }
    return null
  }

  with(added: Iterable<readonly [string, ValueType]>): Scope {
    const fields = new Map(this.fields)
    for (const [name, type] of added) fields.set(name, type)
    return new Scope(fields, this.isOpen, this.isStored, this.isEvents, this.isNamed)
  }
}

export const EVENTS = new Scope(new Map([['_time', 'datetime']]), true, true)
