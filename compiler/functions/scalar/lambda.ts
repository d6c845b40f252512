/** `any all filter map`: functions of a list and of what is asked about each member, `x -> x > 3`. */
import { js, lit } from '../../codegen/js.ts'
import type { MemberLoop, ScalarFunction } from '../descriptor.ts'
import { param, scalarsOf } from './build.ts'

const array = scalarsOf('array')
const LIST = param('list', 'array', 'An array; null gives null.')
const LAMBDA = { lambda: true } as const
const CONDITION = param(
  'condition',
  'bool',
  'A lambda, `x -> x > 3`: x is the member, and fields of the event can be read beside it.',
  LAMBDA,
)

/** Answers with `answer` at the first member whose condition is (not) true. */
function search(stopsAt: boolean): MemberLoop {
  return {
    body: 'condition',
    start: () => lit(!stopsAt),
    each: (answer, { result: isTrue }) =>
      stopsAt ? js`if (${isTrue}) { ${answer} = true; break; }` : js`if (!(${isTrue})) { ${answer} = false; break; }`,
  }
}

const any = array({
  name: 'any',
  helper: 'anyMember',
  foreign: ['any_match', 'array_any', 'mvfind', 'array_exists', 'some'],
  parameters: [LIST, CONDITION],
  summary: 'Whether the condition is true of at least one member; false of an empty array.',
  examples: [
    ['any([1, 5, 9], x -> x > 8)', 'true'],
    ['any(["a", null], x -> x == "b")', 'false'],
    ['any([[1, 2], [3]], list -> any(list, x -> x == 3))', 'true'],
    ['any([], x -> true)', 'false'],
  ],
  result: 'bool',
  loop: search(true),
})

const all = array({
  name: 'all',
  helper: 'allMembers',
  foreign: ['all_match', 'array_all', 'every_match'],
  parameters: [LIST, CONDITION],
  summary:
    'Whether the condition is true of every member, and of an empty array. A condition that is null is not true.',
  examples: [
    ['all([1, 5, 9], x -> x < 10)', 'true'],
    ['all([1, null], x -> x < 10)', 'false'],
    ['all([], x -> false)', 'true'],
  ],
  result: 'bool',
  loop: search(false),
})

const filter = array({
  name: 'filter',
  helper: 'filterMembers',
  foreign: ['array_filter', 'mvfilter', 'list_filter'],
  parameters: [LIST, CONDITION],
  summary: 'The members of which the condition is true, in their order.',
  examples: [
    ['filter([1, 5, 9], x -> x > 4)', '[5,9]'],
    ['filter([{ms: 10}, {ms: 900}], span -> span.ms > 100)', '[{"ms":900}]'],
  ],
  result: 'array',
  members: 'same',
  loop: {
    body: 'condition',
    start: () => js.expr`[]`,
    each: (answer, { member, result: isTrue }) => js`if (${isTrue}) ${answer}.push(${member});`,
  },
})

const map = array({
  name: 'map',
  helper: 'mapMembers',
  foreign: ['array_map', 'mvmap', 'list_transform', 'transform', 'array_transform', 'mv_apply'],
  parameters: [LIST, param('body', 'any', 'A lambda, `x -> x * 2`: what becomes of a member.', LAMBDA)],
  summary: 'An array of what the lambda gives for each member.',
  examples: [
    ['map([1, 2, 3], x -> x * x)', '[1,4,9]'],
    ['map(split("a=1 b=2", " "), pair -> split(pair, "=")[0])', '["a","b"]'],
    ['map([1, "a"], x -> x + 1)', '[2,null]'],
  ],
  result: 'array',
  members: 'body',
  loop: {
    body: 'value',
    start: () => js.expr`[]`,
    each: (answer, { result }) => js`${answer}.push(${result} ?? null);`,
  },
})

export const LAMBDAS: readonly ScalarFunction[] = [any, all, filter, map]
