/**
 * Everything generated code may call as `rt.<name>`. Each file brings its own table; a name is unique among all of them.
 * A helper is total: any values in, a value out, and it never throws, except the strict casts (StrictCastError).
 */

import { ADD_HELPERS } from './add-by-slot.ts'
import { AGGREGATE_HELPERS } from './aggregate-state.ts'
import { ARITHMETIC_HELPERS } from './arithmetic.ts'
import { COLLECTION_HELPERS } from './collections.ts'
import { COMPARE_HELPERS } from './compare.ts'
import { CONDITIONAL_HELPERS } from './conditional.ts'
import { CONVERSION_HELPERS } from './conversion.ts'
import { DISTINCT_HELPERS } from './distinct.ts'
import { ENCODING_HELPERS } from './encoding.ts'
import { HASH_HELPERS } from './hash.ts'
import { HLL_HELPERS } from './hll.ts'
import { LAMBDA_HELPERS } from './lambdas.ts'
import { LENT_HELPERS } from './lent.ts'
import { MATH_HELPERS } from './math.ts'
import { NETWORK_HELPERS } from './network.ts'
import { NUMBER_SET_HELPERS } from './number-set.ts'
import { PRINTF_HELPERS } from './printf.ts'
import { QUANTITY_HELPERS } from './quantities.ts'
import { SELECT_HELPERS } from './select-codes.ts'
import { SET_HELPERS } from './set.ts'
import { SKETCH_HELPERS } from './sketch.ts'
import { STRING_HELPERS } from './strings.ts'
import { TEXT_HELPERS } from './text.ts'
import { TEXT_CAPTURE_HELPERS } from './text-captures.ts'
import { TEXT_SEARCH_HELPERS } from './text-search.ts'
import { TIME_HELPERS } from './time.ts'
import { USER_AGENT_HELPERS } from './user-agent.ts'
import { VECTOR_HELPERS } from './vectors.ts'

export const HELPERS = {
  ...COMPARE_HELPERS,
  ...ARITHMETIC_HELPERS,
  ...CONVERSION_HELPERS,
  ...CONDITIONAL_HELPERS,
  ...STRING_HELPERS,
  ...ENCODING_HELPERS,
  ...PRINTF_HELPERS,
  ...USER_AGENT_HELPERS,
  ...TEXT_HELPERS,
  ...MATH_HELPERS,
  ...TIME_HELPERS,
  ...HASH_HELPERS,
  ...NETWORK_HELPERS,
  ...COLLECTION_HELPERS,
  ...LAMBDA_HELPERS,
  ...LENT_HELPERS,
  ...VECTOR_HELPERS,
  ...TEXT_CAPTURE_HELPERS,
  ...TEXT_SEARCH_HELPERS,
  ...SELECT_HELPERS,
  ...ADD_HELPERS,
  ...SET_HELPERS,
  ...NUMBER_SET_HELPERS,
  ...AGGREGATE_HELPERS,
  ...QUANTITY_HELPERS,
  ...DISTINCT_HELPERS,
  ...HLL_HELPERS,
  ...SKETCH_HELPERS,
}

export type HelperName = keyof typeof HELPERS & string
