/** The shape of a vector: all a kernel may be specialised to. Shapes are shared objects, so that asking costs nothing per block. */
import type { Vector } from '../storage/vector.ts'
import type { ColumnShape } from './batch.ts'

const shapes = new Map<string, ColumnShape>()

export function shapeOf(vector: Vector): ColumnShape {
  switch (vector.kind) {
    case 'const':
    case 'any':
      return shape(vector.kind, vector.kind, false, false)
    case 'dict':
      return shape(`dict:u${vector.codes.BYTES_PER_ELEMENT * 8}`, 'dict', false, false)
    case 'number': {
      if (vector.decimals !== undefined) return shape('number:decimal', 'number', vector.presence !== null, false)
      const width = vector.values instanceof Float64Array ? 'number:f64' : 'number:i32'
      return shape(width, 'number', vector.presence !== null, false)
    }
    case 'time':
      return shape('time', 'time', vector.presence !== null, vector.nanos !== null)
    default:
      return shape(vector.kind, vector.kind, vector.presence !== null, false)
  }
}

function shape(base: string, kind: Vector['kind'], hasPresence: boolean, hasNanos: boolean): ColumnShape {
  const key = `${base}${hasNanos ? '+nanos' : ''}${hasPresence ? '?' : ''}`
  let known = shapes.get(key)
  if (known === undefined) {
    known = { key, kind, hasPresence, hasNanos }
    shapes.set(key, known)
  }
  return known
}
