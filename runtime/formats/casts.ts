/** `into (… as type)` and grok's `:type`: the casts of the language, by the name of the type. */
import type { CastType } from '../../grammar/ast.ts'
import type { Value } from '../../storage/value.ts'
import { CONVERSION_HELPERS } from '../helpers/conversion.ts'
import { toText } from '../helpers/format-value.ts'

export const CASTS: Readonly<Record<CastType, (value: Value) => Value>> = {
  int: value => CONVERSION_HELPERS.toInt(value),
  float: value => CONVERSION_HELPERS.toFloat(value),
  string: value => toText(value),
  bool: value => CONVERSION_HELPERS.toBool(value),
  datetime: value => CONVERSION_HELPERS.toDatetime(value),
  duration: value => CONVERSION_HELPERS.toDuration(value),
}
