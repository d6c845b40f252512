/** Arrays and objects; `get`, `array` and `object` are what `x[i]`, `[a, b]` and `{k: v}` call. */
import type { ScalarFunction } from '../descriptor.ts'
import { OPTIONAL, param, scalarsOf, VARIADIC, withArticle } from './build.ts'

const array = scalarsOf('array')
const object = scalarsOf('object')
const LIST = param('list', 'array', 'An array.')
const OBJECT = param('obj', 'object', 'An object.')

const get = array({
  name: 'get',
  mayBeMissing: true,
  helper: 'indexAt',
  nulls: 'observe',
  foreign: ['element_at', 'mvindex', 'array_get', 'nth'],
  parameters: [
    param('x', 'any', 'An array or an object.'),
    param('key', 'any', 'A position from 0, negative from the end; or the name of a key.'),
  ],
  summary: 'One member of an array or an object, as `x[key]`; missing when it is not there.',
  examples: [
    ['[1, 2, 3][-1]', '3'],
    ['{a: {b: 1}}.a.b', '1'],
    ['is_missing([1][5])', 'true'],
  ],
  result: ([x = 'any']) =>
    x === 'any' || x === 'null' || x === 'array' || x === 'object'
      ? 'any'
      : { problem: `${withArticle(x)} has no members`, argument: 0 },
})

const arrayOf = array({
  name: 'array',
  helper: 'makeArray',
  nulls: 'observe',
  foreign: ['pack_array', 'mvappend', 'list'],
  parameters: [param('items', 'any', 'The members.', { optional: true, variadic: true })],
  summary: 'An array of the arguments, as `[a, b]`; missing ones become null.',
  examples: [['[1, "a", null]', '[1,"a",null]']],
  result: 'array',
})

const slice = array({
  name: 'slice',
  helper: 'slice',
  foreign: ['array_slice'],
  parameters: [
    param('x', 'any', 'An array or text.'),
    param('start', 'int', 'The first position, from 0; negative from the end.'),
    param('end', 'int', 'The position after the last; the end when left out.', OPTIONAL),
  ],
  summary: 'The members from start up to, not including, end.',
  examples: [
    ['slice([1, 2, 3, 4], 1, 3)', '[2,3]'],
    ['slice([1, 2, 3], -2)', '[2,3]'],
  ],
  members: 'same',
  result: ([x = 'any']) => (x === 'array' || x === 'string' ? x : 'any'),
})

const arrayConcat = array({
  name: 'array_concat',
  helper: 'arrayConcat',
  foreign: ['array_cat', 'mvconcat'],
  parameters: [param('list', 'array', 'Arrays, in order.', VARIADIC)],
  summary: 'All members of all arrays.',
  examples: [['array_concat([1], [2, 3])', '[1,2,3]']],
  result: 'array',
})

const arrayDistinct = array({
  name: 'array_distinct',
  helper: 'arrayDistinct',
  foreign: ['array_unique', 'mvdedup', 'set_union'],
  parameters: [LIST],
  summary: 'Every member once, where it first stood.',
  examples: [['array_distinct([2, 1, 2.0, "2"])', '[2,1,"2"]']],
  result: 'array',
  members: 'same',
})

const arraySort = array({
  name: 'array_sort',
  helper: 'arraySort',
  foreign: ['array_sort_asc', 'mvsort', 'sort_array'],
  parameters: [LIST, param('descending', 'bool', 'true for the reverse order.', OPTIONAL)],
  summary: 'In the order of `sort`.',
  examples: [
    ['array_sort([3, 1, 2])', '[1,2,3]'],
    ['array_sort(["a", 2, "B"], true)', '["a","B",2]'],
  ],
  result: 'array',
  members: 'same',
})

const flatten = array({
  name: 'flatten',
  helper: 'flatten',
  foreign: ['array_flatten'],
  parameters: [LIST],
  summary: 'Arrays within the array become its members, one level.',
  examples: [['flatten([[1, 2], 3, [[4]]])', '[1,2,3,[4]]']],
  result: 'array',
})

const objectOf = object({
  name: 'object',
  helper: 'makeObject',
  nulls: 'observe',
  foreign: ['bag_pack', 'pack', 'json_object'],
  parameters: [param('pairs', 'any', 'Names and values by turns.', { optional: true, variadic: true })],
  summary: 'An object of names and values, as `{k: v}`; missing values are left out.',
  examples: [
    ['{a: 1, b: "x"}', '{"a":1,"b":"x"}'],
    ['object("a", 1)', '{"a":1}'],
  ],
  result: 'object',
})

const keys = object({
  name: 'keys',
  helper: 'keys',
  foreign: ['bag_keys', 'json_keys', 'object_keys'],
  parameters: [OBJECT],
  summary: 'The names, in order.',
  examples: [['keys({a: 1, b: 2})', '["a","b"]']],
  result: 'array',
  members: 'string',
})

const values = object({
  name: 'values',
  helper: 'values',
  foreign: ['map_values', 'bag_values'],
  parameters: [OBJECT],
  summary: 'The values, in order of their names.',
  examples: [['values({a: 1, b: 2})', '[1,2]']],
  result: 'array',
})

const merge = object({
  name: 'merge',
  helper: 'merge',
  foreign: ['bag_merge', 'json_merge', 'object_concat'],
  parameters: [param('obj', 'object', 'Objects, in order.', VARIADIC)],
  summary: 'One object of all; a later one wins.',
  examples: [['merge({a: 1, b: 1}, {b: 2})', '{"a":1,"b":2}']],
  result: 'object',
})

const hasKey = object({
  name: 'has_key',
  helper: 'hasKey',
  foreign: ['bag_has_key', 'json_exists'],
  parameters: [OBJECT, param('name', 'string', 'A name.')],
  summary: 'Whether the object has the key, be its value null.',
  examples: [
    ['has_key({a: null}, "a")', 'true'],
    ['has_key({a: 1}, "b")', 'false'],
  ],
  result: 'bool',
})

const toJson = object({
  name: 'to_json',
  helper: 'toJson',
  nulls: 'observe',
  foreign: ['tojson', 'json_serialize', 'dynamic_to_json'],
  parameters: [param('x', 'any', 'Any value.')],
  summary: 'The value as JSON; times and durations as their text, ints with all their digits.',
  examples: [
    ['to_json({a: [1, null], t: 90s})', '"{\\"a\\":[1,null],\\"t\\":\\"1m30s\\"}"'],
    ['to_json("x")', '"\\"x\\""'],
  ],
  result: 'string',
})

const fromJson = object({
  name: 'from_json',
  helper: 'fromJson',
  foreign: ['parse_json', 'todynamic', 'json_parse', 'spath', 'json'],
  parameters: [param('text', 'string', 'JSON.')],
  summary: 'The value a JSON text writes; null when it is not JSON.',
  examples: [
    ['from_json("{\\"a\\": [1, 2.5]}")', '{"a":[1,2.5]}'],
    ['from_json("[9223372036854775807]")', '[9223372036854775807]'],
    ['from_json("{")', 'null'],
  ],
  result: 'any',
})

export const ARRAYS: readonly ScalarFunction[] = [get, arrayOf, slice, arrayConcat, arrayDistinct, arraySort, flatten]
export const OBJECTS: readonly ScalarFunction[] = [objectOf, keys, values, merge, hasKey, toJson, fromJson]
