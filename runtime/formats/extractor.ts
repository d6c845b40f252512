/** What a parse format is to the operator: it reads a text, and is then asked for the fields somebody wants. */
import type { Value } from '../../storage/value.ts'
import { integerOf, textOf, typedOf } from './values.ts'

/** Takes the fields whose names only the text knows. Asked first, so that what nobody wants is not made. */
export interface FieldSink {
  wants(name: string): boolean
  add(name: string, value: Value): void
}

/** Holds on to the text it read last: belongs to one run, and to one text at a time. */
export interface Extractor {
  /** Fields it may set; null: only the text knows, and `emit` tells. */
  readonly names: readonly string[] | null
  /** Every text it can read matches this pattern, and others fail with `NO_MATCH`: lets a block be searched at once. */
  readonly pattern?: string
  /** Of formats whose fields are stretches of the text: where they stand in the text read last, and how they become values. */
  readonly layout?: { readonly spans: Spans; readonly stretches: readonly (Stretch | null)[] }
  /** What is wrong with the text, or null. */
  read(text: string): string | null
  /** A field of the text read last, by its place in `names`; undefined: not in this text. */
  value(index: number): Value
  /** All fields of the text read last. */
  emit(sink: FieldSink): void
}

export const NO_MATCH = 'the pattern does not match'

/** Start and end of each field in the text, two numbers a field; a start of -1: not there. */
export type Spans = Int32Array

/** As the text has it; digits and nothing else; a number where it is a canonical one, else text. */
export type Stretch = 'text' | 'integer' | 'typed'

/** Readers that say the same as a stretch. */
const STRETCHES: ReadonlyMap<SpanField['value'], Stretch> = new Map([
  [textOf, 'text'],
  [integerOf, 'integer'],
  [typedOf, 'typed'],
])

export interface SpanField {
  readonly name: string
  readonly value: (text: string, start: number, end: number) => Value
}

/** For layouts with known fields: `scan` only says where each stands, and a value is made when it is asked for. */
export function spanExtractor(
  fields: readonly SpanField[],
  scan: (text: string, spans: Spans) => string | null,
): Extractor {
  const spans: Spans = new Int32Array(fields.length * 2)
  const names = fields.map(field => field.name)
  const values = fields.map(field => field.value)
  let current = ''
  const value = (index: number): Value => {
    const start = spans[index * 2]!
    return start < 0 ? undefined : values[index]!(current, start, spans[index * 2 + 1]!)
  }
  return {
    names,
    layout: { spans, stretches: values.map(each => STRETCHES.get(each) ?? null) },
    read(text) {
      current = text
      spans.fill(-1)
      return scan(text, spans)
    },
    value,
    emit(sink) {
      for (let index = 0; index < names.length; index++) {
        if (spans[index * 2]! < 0 || !sink.wants(names[index]!)) continue
        const found = value(index)
        if (found !== undefined) sink.add(names[index]!, found)
      }
    },
  }
}

export function setSpan(spans: Spans, field: number, start: number, end: number): void {
  spans[field * 2] = start
  spans[field * 2 + 1] = end
}

/** As `setSpan`, where a lone `-` says that there is no value. */
export function setUnlessDash(spans: Spans, field: number, text: string, start: number, end: number): void {
  if (end - start === 1 && text.charCodeAt(start) === 45) return
  setSpan(spans, field, start, end)
}

/** For layouts whose fields are not stretches of the text: `fill` sets the values it finds. */
export function filledExtractor(
  names: readonly string[],
  fill: (text: string, values: Value[]) => string | null,
): Extractor {
  const values: Value[] = new Array<Value>(names.length).fill(undefined)
  return {
    names,
    read(text) {
      values.fill(undefined)
      return fill(text, values)
    },
    value: index => values[index],
    emit(sink) {
      for (const [index, name] of names.entries()) {
        if (values[index] !== undefined && sink.wants(name)) sink.add(name, values[index])
      }
    },
  }
}

/** For texts that name their fields: `read` keeps what `emit` needs. */
export function openExtractor(parts: Pick<Extractor, 'read' | 'emit'>): Extractor {
  return { names: null, value: () => undefined, ...parts }
}
