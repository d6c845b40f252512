/** Every scalar function of the language. A new one is a descriptor in its family's file; nothing else names it. */
import type { ScalarFunction } from '../descriptor.ts'
import { ARITHMETIC } from './arithmetic.ts'
import { ARRAYS, OBJECTS } from './collection.ts'
import { COMPARISONS } from './comparison.ts'
import { CONDITIONALS } from './conditional.ts'
import { CONVERSIONS } from './conversion.ts'
import { ENCODINGS } from './encoding.ts'
import { HASHES, NETWORKS } from './hash-network.ts'
import { LAMBDAS } from './lambda.ts'
import { MATHS } from './math.ts'
import { STRINGS } from './string.ts'
import { TEXTS } from './text.ts'
import { TIMES } from './time.ts'

export const SCALARS: readonly ScalarFunction[] = [
  ...COMPARISONS,
  ...ARITHMETIC,
  ...CONVERSIONS,
  ...CONDITIONALS,
  ...STRINGS,
  ...ENCODINGS,
  ...TEXTS,
  ...MATHS,
  ...TIMES,
  ...HASHES,
  ...NETWORKS,
  ...ARRAYS,
  ...LAMBDAS,
  ...OBJECTS,
]
