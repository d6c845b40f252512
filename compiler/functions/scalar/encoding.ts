/** Text in other clothes: formats, URLs, base64, paths, sizes. */
import { formatProblem } from '../../../runtime/helpers/printf.ts'
import type { ScalarFunction } from '../descriptor.ts'
import { param, scalarsOf, withArticle } from './build.ts'

const string = scalarsOf('string')
const S = param('s', 'string', 'The text.')

const printf = string({
  name: 'printf',
  helper: 'printf',
  nulls: 'observe',
  foreign: ['format', 'sprintf', 'format_string'],
  parameters: [
    param(
      'format',
      'string',
      '`%s %d %u %f %e %g %x %o %b %c %%`, with flags `- + 0 # ,` and blank, width and precision; `*` takes either from the values.',
    ),
    param('args', 'any', 'The values, in order.', { optional: true, variadic: true }),
  ],
  summary:
    'Text by a format, as in C. An absent value prints nothing. Text that writes a number counts as one; a duration prints as its seconds.',
  examples: [
    ['printf("%s=%05.1f", "cpu", 3.14159)', '"cpu=003.1"'],
    ['printf("%x|%-4s|%%", 255, "a")', '"ff|a   |%"'],
    ['printf("%,d %+.2e %g", 1234567, 0.00052, 0.1)', '"1,234,567 +5.20e-04 0.1"'],
    ['printf("%d%s", 9223372036854775807, null)', '"9223372036854775807"'],
    ['printf("%*.*f", 8, 2, 3.14159)', '"    3.14"'],
  ],
  result: 'string',
  check: ([format, ...values]) => {
    const problem = typeof format === 'string' ? formatProblem(format, values.length) : null
    return problem === null ? null : { problem, argument: 0 }
  },
})

const urldecode = string({
  name: 'urldecode',
  helper: 'urlDecode',
  foreign: ['url_decode'],
  parameters: [S],
  summary: 'With `%20` and `+` turned back into characters. What is no valid escape stays.',
  examples: [
    ['urldecode("a%20b+c%C3%A9")', '"a b cé"'],
    ['urldecode("100%")', '"100%"'],
  ],
  result: 'string',
})

const urlencode = string({
  name: 'urlencode',
  helper: 'urlEncode',
  foreign: ['url_encode'],
  parameters: [S],
  summary: 'Safe to stand in a URL.',
  examples: [['urlencode("a b&c")', '"a%20b%26c"']],
  result: 'string',
})

const urlParse = string({
  name: 'url_parse',
  helper: 'urlParse',
  foreign: ['parse_url', 'parseurl'],
  parameters: [S],
  summary:
    'The parts of a URL or of a path with a query: scheme, user, host, port, path, query, fragment. Null when it is none.',
  examples: [
    [
      'url_parse("https://ex.com:8443/a?x=1#top")',
      '{"scheme":"https","host":"ex.com","port":8443,"path":"/a","query":{"x":"1"},"fragment":"top"}',
    ],
    ['url_parse("/a?x=1")', '{"path":"/a","query":{"x":"1"}}'],
    ['url_parse("no url")', 'null'],
  ],
  result: 'object',
})

const userAgentParse = string({
  name: 'useragent_parse',
  helper: 'userAgentParse',
  foreign: ['parse_user_agent', 'user_agent', 'ua_parse', 'parse_useragent'],
  parameters: [S],
  summary:
    'Who sent a request, by its User-Agent: browser, browser_version, os, os_version, device (`desktop mobile tablet tv bot tool other`). From a short table of its own, which knows the common ones; what it does not know is left out.',
  examples: [
    [
      'useragent_parse("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36")',
      '{"browser":"Chrome","browser_version":"120.0.0.0","os":"Windows","os_version":"10","device":"desktop"}',
    ],
    ['useragent_parse("curl/8.5.0")', '{"browser":"curl","browser_version":"8.5.0","device":"tool"}'],
    [
      'useragent_parse("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)")',
      '{"browser":"bingbot","browser_version":"2.0","device":"bot"}',
    ],
  ],
  result: 'object',
})

const base64Encode = string({
  name: 'base64_encode',
  helper: 'base64Encode',
  foreign: ['base64_encode_tostring', 'to_base64'],
  parameters: [S],
  summary: 'In base64, of its UTF-8 bytes.',
  examples: [['base64_encode("héllo")', '"aMOpbGxv"']],
  result: 'string',
})

const base64Decode = string({
  name: 'base64_decode',
  helper: 'base64Decode',
  foreign: ['base64_decode_tostring', 'from_base64'],
  parameters: [S],
  summary: 'Base64 read back as UTF-8 text; both alphabets, padded or not. Null when it is none.',
  examples: [
    ['base64_decode("aMOpbGxv")', '"héllo"'],
    ['base64_decode("a?")', 'null'],
  ],
  result: 'string',
})

const pathNormalize = string({
  name: 'path_normalize',
  helper: 'pathNormalize',
  foreign: ['normalize_path'],
  parameters: [S],
  summary:
    'A URL path with its variable segments named, and without its query, so that paths of one kind group together.',
  examples: [['path_normalize("/users/42/orders/9f8e7d6c5b4a?x=1")', '"/users/:id/orders/:hex"']],
  result: 'string',
})

const formatBytes = string({
  name: 'format_bytes',
  helper: 'formatBytes',
  foreign: ['bytes_to_string', 'formatreadablesize'],
  parameters: [param('bytes', 'number', 'A count of bytes.')],
  summary: 'A size for people, in units of 1024.',
  examples: [
    ['format_bytes(1536)', '"1.5 KiB"'],
    ['format_bytes(512)', '"512 B"'],
  ],
  result: 'string',
})

const formatDuration = string({
  name: 'format_duration',
  helper: 'formatDuration',
  foreign: ['format_timespan', 'tostring_duration'],
  parameters: [param('x', 'any', 'A duration, or a number of seconds.')],
  summary: 'A length of time as the language writes it.',
  examples: [
    ['format_duration(5400)', '"1h30m"'],
    ['format_duration(250ms)', '"250ms"'],
  ],
  result: ([x = 'any']) =>
    x === 'array' || x === 'object' || x === 'bool'
      ? { problem: `x must be a duration or a number of seconds, not ${withArticle(x)}`, argument: 0 }
      : 'string',
})

export const ENCODINGS: readonly ScalarFunction[] = [
  printf,
  urldecode,
  urlencode,
  urlParse,
  userAgentParse,
  base64Encode,
  base64Decode,
  pathNormalize,
  formatBytes,
  formatDuration,
]
