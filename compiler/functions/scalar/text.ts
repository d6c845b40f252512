/** Searching text: the name tells the cost. What is not text is searched through its text form. */
import { patternProblem } from '../../../runtime/helpers/text.ts'
import type { Value } from '../../../storage/value.ts'
import type { ScalarFunction, TypeProblem } from '../descriptor.ts'
import { CONSTANT, OPTIONAL, param, scalarsOf } from './build.ts'

const text = scalarsOf('text')
const FIELD = param('text', 'string', 'Where to look.')
const PATTERN = param(
  'pattern',
  'string',
  'A regular expression as RE2 knows them; `(?i)` in front ignores case.',
  CONSTANT,
)
const GROUP = param(
  'group',
  'any',
  'Number or name of the group; the first group, or the whole match, when left out.',
  OPTIONAL,
)

function checkPattern(args: readonly (Value | undefined)[]): TypeProblem | null {
  const pattern = args[1]
  if (typeof pattern !== 'string') return null
  const problem = patternProblem(pattern)
  return problem === null ? null : { problem: `not a usable pattern: ${problem}`, argument: 1 }
}

const has = text({
  name: 'has',
  helper: 'has',
  textHelper: 'textHas',
  foreign: ['has_cs', 'hasterm', 'has_token', 'hastoken'],
  parameters: [FIELD, param('word', 'string', 'A whole word; delimiters within it must stand in the text too.')],
  summary:
    'Whether the word stands in the text as whole tokens, in any case. Tokens are runs of letters and digits. The cheapest search: the index skips blocks.',
  examples: [
    ['has("Connection timeout: 10.0.0.1", "TIMEOUT")', 'true'],
    ['has("timeouts", "timeout")', 'false'],
    ['has("from 10.0.0.1 on", "10.0.0.1")', 'true'],
    ['has("from 110.0.0.1 on", "10.0.0.1")', 'false'],
  ],
  result: 'bool',
})

const hasGlob = text({
  name: 'has_glob',
  helper: 'hasGlob',
  foreign: ['hasprefix_token'],
  parameters: [FIELD, param('pattern', 'string', 'A word with `*` and `?`, which stand for letters and digits only.')],
  summary: 'Whether a whole token matches the glob, in any case.',
  examples: [
    ['has_glob("request timed out", "time*")', 'true'],
    ['has_glob("req-42 failed", "req-4?")', 'true'],
    ['has_glob("uptime", "time*")', 'false'],
  ],
  result: 'bool',
})

const contains = text({
  name: 'contains',
  helper: 'contains',
  textHelper: 'textContains',
  foreign: ['icontains', 'includes', 'search', 'ilike'],
  parameters: [FIELD, param('part', 'string', 'What to find.')],
  summary: 'Whether the part stands anywhere in the text, in any case.',
  examples: [
    ['contains("Connection Reset by peer", "connection reset")', 'true'],
    ['contains("ok", "error")', 'false'],
  ],
  result: 'bool',
})

const containsCs = text({
  name: 'contains_cs',
  helper: 'containsCs',
  textHelper: 'textContainsCs',
  foreign: ['strpos', 'indexof', 'like'],
  parameters: [FIELD, param('part', 'string', 'What to find.')],
  summary: 'Whether the part stands anywhere in the text. Case counts.',
  examples: [['contains_cs("Error", "error")', 'false']],
  result: 'bool',
})

const glob = text({
  name: 'glob',
  helper: 'glob',
  foreign: ['wildcard', 'matches_glob'],
  parameters: [
    FIELD,
    param('pattern', 'string', '`*` any characters, `?` one; a backslash makes the next one literal.'),
  ],
  summary: 'Whether the whole text matches the glob. Case counts, as with `==`.',
  examples: [
    ['glob("web-01", "web-*")', 'true'],
    ['glob("my-web-01", "web-*")', 'false'],
    ['glob("a*b", "a\\\\*b")', 'true'],
  ],
  result: 'bool',
})

const matches = text({
  name: 'matches',
  helper: 'matches',
  textHelper: 'textMatches',
  foreign: ['regex', 'regexp_matches', 'rlike', 'match', 'matches_regex', 'regexp_like'],
  parameters: [FIELD, PATTERN],
  summary: 'Whether the pattern matches anywhere in the text. Time is linear in the text for every pattern.',
  examples: [
    ['matches("took 250ms", r"\\d+ms")', 'true'],
    ['matches("ERROR", r"(?i)^error$")', 'true'],
    ['matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", r"(a+)+$")', 'false'],
  ],
  result: 'bool',
  check: checkPattern,
})

const extract = text({
  name: 'extract',
  helper: 'extract',
  nullWithoutMatch: true,
  columnHelper: 'textExtract',
  foreign: ['regexp_extract', 'regex_extract', 'extract_regex', 'regexp_substr'],
  parameters: [FIELD, PATTERN, GROUP],
  summary: 'What the first match of the pattern captured; null without a match.',
  examples: [
    ['extract("took 250ms", r"(\\d+)ms")', '"250"'],
    ['extract("GET /a HTTP/1.1", r"(?<method>\\w+) (?<path>\\S+)", "path")', '"/a"'],
    ['extract("none", r"\\d+")', 'null'],
  ],
  result: 'string',
  check: checkPattern,
})

const extractAll = text({
  name: 'extract_all',
  helper: 'extractAll',
  foreign: ['regexp_extract_all', 'findall'],
  parameters: [FIELD, PATTERN, GROUP],
  summary: 'What every match of the pattern captured, as an array.',
  examples: [
    ['extract_all("a=1 b=22", r"\\d+")', '["1","22"]'],
    ['extract_all("a=1 b=22", r"(\\w)=(\\d+)", 2)', '["1","22"]'],
    ['extract_all("none", r"\\d+")', '[]'],
  ],
  result: 'array',
  members: 'string',
  check: checkPattern,
})

export const TEXTS: readonly ScalarFunction[] = [has, hasGlob, contains, containsCs, glob, matches, extract, extractAll]
