/**
 * Groups by key codes. The codes of a row make a slot (mixed radix); `slots[slot]` is its group. Values are looked at once per
 * slot, when a group is first seen; the row loop touches typed arrays only.
 */
import { TextDictionary } from '../../storage/dictionary.ts'
import type { Value } from '../../storage/value.ts'
import type { Dictionary, DictVector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { currentInterner, type Interner } from '../helpers/interner.ts'
import type { AggregateKey } from '../program.ts'
import { type Codes, KeyCoder, KeyCodes } from './key-coder.ts'
import { NumberedKeys } from './numbered-keys.ts'
import { Ints } from './table/growable.ts'
import { giveUp, moved, zeroBytes, zeroInts } from './table/spare-memory.ts'

/** Interned numbers are below this. */
const IDS_MAX = 2 ** 26

/** Numbers further apart than this, per group, are not laid out to be looked up. */
const SPREAD_MAX = 8
/** With fewer groups to a value there is little to be had from saying it once. */
const GROUPS_PER_VALUE_MIN = 4

/**
 * More slots than this are not laid out densely, and no more than so many a row, where they are not few anyway: pairs of codes are numbered by a
 * hash table first. 4 M slots are 16 MB. 43,559 events by two images, of 2 M pairs that their dictionaries could make: 5.8 → 1.4 ms.
 */
const DENSE_SLOTS_MAX = 1 << 22
const SLOTS_PER_ROW_MAX = 4
const FEW_SLOTS = 4096

export class GroupTable {
  /** By slot: the group, or -1. */
  slots: Int32Array = new Int32Array(0)
  count = 0
  readonly #ids: readonly Ints[]
  /**
   * One key, and all groups are codes of this dictionary: nothing else came yet, and no value need be looked at before it does. A hundred
   * thousand users that were just read, counted: 65 → 47 ms.
   */
  #codesOfGroups: TextDictionary | null = null
  /** What the step kernel sees; sizes and codes of the current batch. */
  keys: readonly KeyCodes[] = []
  readonly #coders: readonly KeyCoder[]
  readonly #fields: readonly string[]
  #tokens: readonly (object | number)[] = []
  readonly interner: Interner
  /** One key: group by interned number, or -1. */
  #groupOfId = new Int32Array(0)
  /** Several keys: pairs of interned numbers, then of those pairs with the next; the last numbers are the groups. */
  readonly #combinations: readonly NumberedKeys[]
  /** Groups of a block are made bin by bin, so that those of blocks in order are in the order of time, as they are wanted. */
  readonly #isBinned: boolean
  readonly #pairs: (PairTable | null)[]
  /** Key by key, before pairs were combined; and the tables that combined them. */
  #coded: readonly KeyCodes[] = []
  readonly #scratch: number[]
  readonly #scratchIds: number[]
  #combinedBy: readonly PairTable[] = []
  slotCount = 0
  /** By slot: 1 where a state by slot was changed. */
  met = new Uint8Array(0)
  /** Called before slots change their meaning. */
  beforeChange: (() => void) | null = null

  /** @param interner  of the process, unless the table is to take its values along when it goes */
  constructor(keys: readonly Pick<AggregateKey, 'field' | 'binMicros'>[], interner: Interner = currentInterner()) {
    this.interner = interner
    this.#coders = keys.map(key => new KeyCoder(key.binMicros))
    this.#fields = keys.map(key => key.field)
    this.#isBinned = keys[0]?.binMicros != null
    this.#ids = keys.map(() => new Ints())
    this.#scratch = keys.map(() => 0)
    this.#scratchIds = keys.map(() => 0)
    this.#pairs = keys.map(() => null)
    this.#combinations = keys.slice(1).map(() => new NumberedKeys())
  }

  /** Prepares codes and slots for a batch; returns the most groups it can add. */
  prepare(batch: Batch): number {
    const coded = this.#coders.map((coder, index) => coder.encode(batch.column(this.#fields[index]!), batch))
    const product = coded.reduce((all, key) => all * key.size, 1)
    const combined = this.#isDense(coded, product, batch) ? null : this.#combine(coded, batch)
    const keys = combined === null ? coded : combined.keys
    const slotCount = keys.reduce((all, key) => all * key.size, 1)
    const tokens = keys.flatMap(key => [key.token, key.size])
    const isSame =
      tokens.length === this.#tokens.length && tokens.every((token, index) => token === this.#tokens[index])
    if (!isSame) {
      this.beforeChange?.()
      const single = keys.length === 1 && keys[0]!.token === this.#tokens[0]
      // One growing key: old slots keep their meaning. Those beyond them may be left from what codes meant before.
      const kept = single ? Math.min(slotCount, this.slotCount) : 0
      if (this.slots.length < slotCount) {
        const slots = zeroInts(Math.max(slotCount, kept * 2)).fill(-1)
        slots.set(this.slots.subarray(0, kept))
        giveUp(this.slots)
        this.slots = slots
      } else this.slots.fill(-1, kept, slotCount)
      this.#tokens = tokens
      if (coded.length === 1) this.#turnTo(coded[0]!.dictionary)
    }
    this.keys = keys
    this.slotCount = slotCount
    this.#coded = coded
    // Not before: what is pending is told by the codes it was counted under.
    this.#combinedBy = combined === null ? [] : combined.tables
    return Math.min(slotCount, batch.selectedCount)
  }

  /** As it was for codes that mean the same: changing it would change what slots mean. */
  #isDense(coded: readonly KeyCodes[], product: number, { selectedCount }: Batch): boolean {
    // One code a row is as dense as it gets.
    if (coded.length < 2) return true
    const before = this.#coded
    const isAsBefore =
      before.length === coded.length &&
      coded.every(({ token, size }, index) => token === before[index]!.token && size === before[index]!.size)
    if (isAsBefore) return this.#combinedBy.length === 0
    return product <= FEW_SLOTS || product <= Math.min(DENSE_SLOTS_MAX, SLOTS_PER_ROW_MAX * selectedCount)
  }

  /** Numbers pairs of codes until one code is left; the other keys then have a single code each. */
  #combine(
    coded: readonly KeyCodes[],
    batch: Batch,
  ): { readonly keys: readonly KeyCodes[]; readonly tables: readonly PairTable[] } {
    let codes: Codes = coded[0]!.codes
    let size = coded[0]!.size
    const tokens: (object | number)[] = [coded[0]!.token]
    const tables: PairTable[] = []
    for (let index = 1; index < coded.length; index++) {
      const key = coded[index]!
      tokens.push(size, key.token)
      let table = this.#pairs[index] ?? null
      if (table === null || !table.isFor(tokens)) this.#pairs[index] = table = new PairTable([...tokens])
      codes = table.encode(codes, size, key.codes, batch)
      size = table.capacity
      tables.push(table)
    }
    const last = tables.at(-1)!
    const combined = new KeyCodes(codes, size, last, 'values', {})
    const none = new KeyCodes(new Uint8Array(batch.rowCount), 1, NONE, 'values', {})
    return { keys: [combined, ...coded.slice(1).map(() => none)], tables }
  }

  /** The group of a slot seen for the first time since codes changed their meaning; called by generated code. */
  add(slot: number): number {
    const group = this.#codesOfGroups === null ? this.#groupOf(this.#codesOf(slot)) : this.#newGroup([slot])
    this.slots[slot] = group
    return group
  }

  /**
   * Groups for all slots that are marked and have none. Two keys go by the one and the other instead of taking each slot apart: 28,800 groups of times
   * by services: 2.7 → 2.1 ms, and 10.8 → 9.6 of the query, as no order is to be found for them then.
   */
  addAll(marks: Int32Array | Uint8Array, slotCount: number): void {
    const [first, second] = this.#coded
    const { slots } = this
    if (this.#coded.length !== 2 || this.#combinedBy.length > 0) {
      for (let slot = 0; slot < slotCount; slot++) if (marks[slot] !== 0 && slots[slot]! < 0) this.add(slot)
      return
    }
    const isBinned = this.#isBinned
    const [outer, inner] = isBinned ? [first!, second!] : [second!, first!]
    const [outerStep, innerStep] = isBinned ? [1, first!.size] : [first!.size, 1]
    for (let at = 0; at < outer.size; at++) {
      let outerId = -1
      for (let within = 0, slot = at * outerStep; within < inner.size; within++, slot += innerStep) {
        if (marks[slot] === 0 || slots[slot]! >= 0) continue
        if (outerId < 0) outerId = outer.idOf(at, this.interner)
        const innerId = inner.idOf(within, this.interner)
        slots[slot] = isBinned ? this.#groupOfPair(outerId, innerId) : this.#groupOfPair(innerId, outerId)
      }
    }
  }

  /** As `groupOfIds`, of two. */
  #groupOfPair(first: number, second: number): number {
    const group = this.#combinations[0]!.numberOf(pairOf(first, second))
    if (group === this.count) {
      this.#ids[0]!.push(first)
      this.#ids[1]!.push(second)
      this.count++
    }
    return group
  }

  /** The code of each key in a slot of the current batch; overwritten by the next call. */
  #codesOf(slot: number): readonly number[] {
    const coded = this.#coded
    const codes = this.#scratch
    let rest = slot
    if (this.#combinedBy.length === 0) {
      for (let index = 0; index < coded.length; index++) {
        const { size } = coded[index]!
        codes[index] = rest % size
        rest = Math.floor(rest / size)
      }
      return codes
    }
    for (let index = coded.length - 1; index > 0; index--) {
      const table = this.#combinedBy[index - 1]!
      codes[index] = table.secondOf(rest)
      rest = table.firstOf(rest)
    }
    codes[0] = rest
    return codes
  }

  /** Codes of one key are those of this dictionary from now on; null: of none. */
  #turnTo(dictionary: Dictionary | null): void {
    if (this.count === 0 && dictionary instanceof TextDictionary) {
      this.#codesOfGroups = dictionary
      return
    }
    this.#internGroups()
    if (dictionary !== null) this.#fillFromDictionary(dictionary)
  }

  /** By key, by group: the interned number of its value, which is also what other threads are told. */
  get ids(): readonly Ints[] {
    this.#internGroups()
    return this.#ids
  }

  #internGroups(): void {
    const dictionary = this.#codesOfGroups
    if (dictionary === null) return
    this.#codesOfGroups = null
    const ids = this.interner.idsOf(dictionary)
    this.#reserveIds()
    const { values } = this.#ids[0]!
    for (let group = 0; group < this.count; group++) {
      const id = ids[values[group]!]!
      values[group] = id
      this.#groupOfId[id] = group
    }
  }

  /** Groups known from other dictionaries, for all codes at once. */
  #fillFromDictionary(dictionary: Dictionary): void {
    const ids = this.interner.idsOf(dictionary)
    this.#reserveIds()
    for (let code = 0; code < ids.length; code++) this.slots[code] = this.#groupOfId[ids[code]!]!
  }

  #reserveIds(): void {
    const { size } = this.interner
    if (this.#groupOfId.length >= size) return
    this.#groupOfId = moved(this.#groupOfId, zeroInts(Math.max(size, this.#groupOfId.length * 2, 1024)).fill(-1))
  }

  #groupOf(codes: readonly number[]): number {
    const coded = this.#coded
    const ids = this.#scratchIds
    for (let index = 0; index < coded.length; index++) ids[index] = coded[index]!.idOf(codes[index]!, this.interner)
    return this.groupOfIds(ids)
  }

  /** The group whose keys have these interned numbers; made when it is new. */
  groupOfIds(ids: readonly number[]): number {
    this.#internGroups()
    const first = ids[0]!
    if (ids.length === 1) {
      if (first >= this.#groupOfId.length) this.#reserveIds()
      const known = this.#groupOfId[first]!
      if (known >= 0) return known
      this.#groupOfId[first] = this.count
      return this.#newGroup(ids)
    }
    let number = first
    for (let key = 1; key < ids.length; key++) number = this.#combinations[key - 1]!.numberOf(pairOf(number, ids[key]!))
    if (number < this.count) return number
    return this.#newGroup(ids)
  }

  #newGroup(ids: readonly number[]): number {
    for (let index = 0; index < ids.length; index++) this.#ids[index]!.push(ids[index]!)
    return this.count++
  }

  valueOf(key: number, group: number): Value {
    const number = this.#ids[key]!.values[group]!
    return this.#codesOfGroups === null ? this.interner.valueOf(number) : (this.#codesOfGroups.at(number) ?? null)
  }

  /** The values of a key, by group: made when they are asked for, as few groups of many ever are. */
  valuesOf(key: number): Value[] {
    const { count } = this
    const values = new Array<Value>(count)
    for (let group = 0; group < count; group++) values[group] = this.valueOf(key, group)
    return values
  }

  /** The same as codes of the distinct values; null where most groups have one of their own. */
  codedValuesOf(key: number): DictVector | null {
    const { interner, count } = this
    const ids = this.#ids[key]!.values
    const dictionary = this.#codesOfGroups
    if (dictionary !== null)
      return { kind: 'dict', rowCount: count, codes: Uint32Array.from(ids.subarray(0, count)), dictionary }
    let low = Number.POSITIVE_INFINITY
    let high = -1
    for (let group = 0; group < count; group++) {
      const id = ids[group]!
      if (id < low) low = id
      if (id > high) high = id
    }
    if (high - low >= SPREAD_MAX * count) return null
    const valuesMax = count / GROUPS_PER_VALUE_MIN
    const known = new Int32Array(high - low + 1).fill(-1)
    const codes = new Uint32Array(count)
    const values: Value[] = []
    for (let group = 0; group < count; group++) {
      const id = ids[group]!
      let code = known[id - low]!
      if (code < 0) {
        code = values.push(interner.valueOf(id)) - 1
        if (code >= valuesMax) return null
        known[id - low] = code
      }
      codes[group] = code
    }
    return { kind: 'dict', rowCount: count, codes, dictionary: { values } }
  }

  /** Room to mark so many slots as met. */
  reserveMet(slotCount: number): void {
    if (this.met.length < slotCount) this.met = moved(this.met, zeroBytes(Math.max(slotCount, 2 * this.met.length)))
  }

  /** There are no groups any more, and nobody looks at what was known of them. */
  release(): void {
    this.count = 0
    this.slotCount = 0
    for (const table of [this.slots, this.#groupOfId, this.met]) giveUp(table)
    for (const part of [...this.#coders, ...this.#ids, ...this.#combinations]) part.release()
  }

  /** Widths of the codes: what else a step kernel's speed depends on. */
  variant(): string {
    return this.keys.map(key => key.codes.BYTES_PER_ELEMENT).join('')
  }

  /** Group of every selected row; for dedup. */
  assign(batch: Batch, groups: Uint32Array): void {
    const { keys, slots } = this
    const [only] = keys
    if (keys.length === 1 && only !== undefined) {
      const { codes } = only
      for (let n = 0; n < batch.selectedCount; n++) {
        const slot = codes[batch.selection === null ? n : batch.selection[n]!]!
        const known = slots[slot]!
        groups[n] = known < 0 ? this.add(slot) : known
      }
      return
    }
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      let slot = 0
      for (let index = keys.length - 1; index >= 0; index--) slot = slot * keys[index]!.size + keys[index]!.codes[row]!
      const known = slots[slot]!
      groups[n] = known < 0 ? this.add(slot) : known
    }
  }
}

/** Two such numbers fit in a double exactly; of more values there is no room for the interner. */
function pairOf(first: number, second: number): number {
  if (first >= IDS_MAX || second >= IDS_MAX) throw new RangeError('more than 67 million values or groups')
  return first * IDS_MAX + second
}

const NONE = {}

/** Dense numbers for pairs of codes. */
class PairTable {
  readonly #tokens: readonly (object | number)[]
  readonly #numbered = new NumberedKeys()
  #firstSize = 1
  #scratch = new Uint32Array(0)

  constructor(tokens: readonly (object | number)[]) {
    this.#tokens = tokens
  }

  isFor(tokens: readonly (object | number)[]): boolean {
    return tokens.length === this.#tokens.length && tokens.every((token, index) => token === this.#tokens[index])
  }

  get capacity(): number {
    return this.#numbered.keys.length
  }

  firstOf(code: number): number {
    return this.#numbered.keys[code]! % this.#firstSize
  }

  secondOf(code: number): number {
    return Math.floor(this.#numbered.keys[code]! / this.#firstSize)
  }

  encode(first: Codes, firstSize: number, second: Codes, batch: Batch): Uint32Array {
    this.#firstSize = firstSize
    if (this.#scratch.length < batch.rowCount) this.#scratch = new Uint32Array(batch.rowCount)
    const codes = this.#scratch
    const numbered = this.#numbered
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      codes[row] = numbered.numberOf(second[row]! * firstSize + first[row]!)
    }
    return codes
  }
}
