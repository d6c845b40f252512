/** Functions of text. Whatever has a text form may stand where text is asked for. */
import type { ScalarFunction } from '../descriptor.ts'
import { OPTIONAL, param, scalarsOf, VARIADIC } from './build.ts'

const string = scalarsOf('string')
const S = param('s', 'string', 'The text.')
const CHARACTERS = param('characters', 'string', 'Which characters to cut; blanks when left out.', OPTIONAL)

const len = string({
  name: 'len',
  helper: 'len',
  foreign: ['length', 'strlen', 'array_length', 'mvcount', 'size'],
  parameters: [param('x', 'any', 'Text, an array or an object.')],
  summary: 'The number of characters, members or keys.',
  examples: [
    ['len("naïve")', '5'],
    ['len([1, 2, 3])', '3'],
    ['len({a: 1})', '1'],
  ],
  result: 'int',
})

const lower = string({
  name: 'lower',
  helper: 'lower',
  foreign: ['tolower', 'lcase'],
  parameters: [S],
  summary: 'In lower case.',
  examples: [['lower("ERROR")', '"error"']],
  result: 'string',
})

const upper = string({
  name: 'upper',
  helper: 'upper',
  foreign: ['toupper', 'ucase'],
  parameters: [S],
  summary: 'In upper case.',
  examples: [['upper("a")', '"A"']],
  result: 'string',
})

const trim = string({
  name: 'trim',
  helper: 'trim',
  foreign: ['strip'],
  parameters: [S, CHARACTERS],
  summary: 'Without blanks, or the given characters, at both ends.',
  examples: [
    ['trim("  a b ")', '"a b"'],
    ['trim("/a/b/", "/")', '"a/b"'],
  ],
  result: 'string',
})

const ltrim = string({
  name: 'ltrim',
  helper: 'ltrim',
  foreign: ['trim_start', 'lstrip'],
  parameters: [S, CHARACTERS],
  summary: 'Without blanks, or the given characters, at the start.',
  examples: [['ltrim("007", "0")', '"7"']],
  result: 'string',
})

const rtrim = string({
  name: 'rtrim',
  helper: 'rtrim',
  foreign: ['trim_end', 'rstrip'],
  parameters: [S, CHARACTERS],
  summary: 'Without blanks, or the given characters, at the end.',
  examples: [['rtrim("a \\n")', '"a"']],
  result: 'string',
})

const substr = string({
  name: 'substr',
  helper: 'substr',
  foreign: ['substring', 'left', 'mid'],
  parameters: [
    S,
    param('start', 'int', 'The first character, counted from 0; negative counts from the end.'),
    param('count', 'int', 'How many characters; the rest when left out.', OPTIONAL),
  ],
  summary: 'A part of a text.',
  examples: [
    ['substr("timeout", 0, 4)', '"time"'],
    ['substr("timeout", -3)', '"out"'],
  ],
  result: 'string',
})

const replace = string({
  name: 'replace',
  helper: 'replace',
  foreign: ['replace_string', 'replace_all'],
  parameters: [
    S,
    param('from', 'string', 'What to look for, literally.'),
    param('to', 'string', 'What to put instead.'),
  ],
  summary: 'Every occurrence replaced, literally.',
  examples: [['replace("a-b-c", "-", ".")', '"a.b.c"']],
  result: 'string',
})

const split = string({
  name: 'split',
  helper: 'split',
  foreign: ['splitbychar', 'split_string'],
  parameters: [S, param('separator', 'string', 'Where to cut; the empty text cuts between characters.')],
  summary: 'The parts between separators, as an array.',
  examples: [
    ['split("a,b,,c", ",")', '["a","b","","c"]'],
    ['split("ab", "")', '["a","b"]'],
  ],
  result: 'array',
  members: 'string',
})

const join = string({
  name: 'join',
  helper: 'join',
  foreign: ['mvjoin', 'strcat_array', 'array_join', 'string_agg'],
  parameters: [
    param('list', 'array', 'Values.'),
    param('separator', 'string', 'Between them; a comma when left out.', OPTIONAL),
  ],
  summary: 'The text of all members, one after the other; nulls are left out.',
  examples: [
    ['join(["a", 1, null], "-")', '"a-1"'],
    ['join([1, 2])', '"1,2"'],
  ],
  result: 'string',
})

const startsWith = string({
  name: 'starts_with',
  helper: 'startsWith',
  foreign: ['startswith', 'hasprefix', 'startswith_cs'],
  parameters: [S, param('prefix', 'string', 'What it may start with.')],
  summary: 'Whether it starts with the prefix. Case counts.',
  examples: [
    ['starts_with("/api/users", "/api/")', 'true'],
    ['starts_with("API", "api")', 'false'],
  ],
  result: 'bool',
})

const endsWith = string({
  name: 'ends_with',
  helper: 'endsWith',
  foreign: ['endswith', 'hassuffix', 'endswith_cs'],
  parameters: [S, param('suffix', 'string', 'What it may end with.')],
  summary: 'Whether it ends with the suffix. Case counts.',
  examples: [['ends_with("app.log", ".log")', 'true']],
  result: 'bool',
})

const levenshtein = string({
  name: 'levenshtein',
  helper: 'levenshtein',
  foreign: ['edit_distance'],
  parameters: [param('a', 'string', 'A text.'), param('b', 'string', 'Another.')],
  summary: 'How many characters must be put in, taken out or changed to make one the other; null for very long texts.',
  examples: [['levenshtein("kitten", "sitting")', '3']],
  result: 'int',
})

const repeat = string({
  name: 'repeat',
  helper: 'repeat',
  foreign: ['strrep'],
  parameters: [S, param('count', 'int', 'How often.')],
  summary: 'The text several times over; null beyond 16 M characters.',
  examples: [['repeat("ab", 3)', '"ababab"']],
  result: 'string',
})

const concat = string({
  name: 'concat',
  helper: 'concat',
  nulls: 'observe',
  foreign: ['strcat'],
  parameters: [param('x', 'any', 'Values, in order.', VARIADIC)],
  summary: 'The text of all values, one after the other. An absent value adds nothing.',
  examples: [
    ['concat("a", 1, true)', '"a1true"'],
    ['concat("a", null)', '"a"'],
  ],
  result: 'string',
})

export const STRINGS: readonly ScalarFunction[] = [
  len,
  lower,
  upper,
  trim,
  ltrim,
  rtrim,
  substr,
  replace,
  split,
  join,
  startsWith,
  endsWith,
  levenshtein,
  repeat,
  concat,
]
