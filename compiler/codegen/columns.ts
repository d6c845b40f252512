/** The parts of a column a kernel reads, under names of their own. */
import type { Expression } from 'estree'
import type { ColumnShape } from '../../runtime/batch.ts'
import type { KernelWriter } from './expression.ts'
import { constant, id, member } from './js.ts'

export interface ColumnNames {
  /** values, codes, bytes, micros, or the const value. */
  readonly main: Expression
  readonly presence: Expression | null
  /** dictionary, offsets, nanos or divisor. */
  readonly extra: Expression | null
  /** Of decimals: both `main` and `extra`. */
  readonly decimals?: Expression
}

export function isDecimal({ key }: ColumnShape): boolean {
  return key.startsWith('number:decimal')
}

/** Binds them before the loop. */
export function bindColumn(writer: KernelWriter, field: string): ColumnNames {
  const shape = writer.shapeOf(field)
  const vector = writer.vector(field)
  const bind = (hint: string, property: string): Expression => {
    const name = writer.scope.fresh(hint)
    writer.before(constant(name, member(vector, property)))
    return id(name)
  }
  const presence = shape.hasPresence ? bind(`${field}_presence`, 'presence') : null
  switch (shape.kind) {
    case 'const':
      return { main: bind(field, 'value'), presence: null, extra: null }
    case 'dict': {
      const codes = bind(`${field}_codes`, 'codes')
      const dictionary = bind(`${field}_dictionary`, 'dictionary')
      return { main: codes, presence: null, extra: dictionary }
    }
    case 'text':
      return { main: bind(`${field}_bytes`, 'bytes'), presence, extra: bind(`${field}_offsets`, 'offsets') }
    case 'time':
      return {
        main: bind(`${field}_micros`, 'micros'),
        presence,
        extra: shape.hasNanos ? bind(`${field}_nanos`, 'nanos') : null,
      }
    case 'number': {
      if (!isDecimal(shape)) return { main: bind(field, 'values'), presence, extra: null }
      const decimals = bind(`${field}_decimals`, 'decimals')
      const part = (hint: string, property: string): Expression => {
        const name = writer.scope.fresh(hint)
        writer.before(constant(name, member(decimals, property)))
        return id(name)
      }
      return { main: part(field, 'whole'), presence, extra: part(`${field}_divisor`, 'divisor'), decimals }
    }
    default:
      return { main: bind(field, 'values'), presence, extra: null }
  }
}
