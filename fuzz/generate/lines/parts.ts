/** What random lines are made of. */
import type { Value } from '../../../storage/value.ts'
import type { Random } from '../random.ts'

export interface FormatLine {
  /** The format with its arguments, as a query writes it. */
  readonly format: string
  readonly line: string
  /** Fields whose value is undefined must be missing. */
  readonly fields: Readonly<Record<string, Value>>
}

export type LineMaker = (random: Random) => FormatLine

export const WORDS = [
  'connection',
  'reset',
  'by',
  'peer',
  'größe',
  'user=ada',
  'GET',
  '10.0.0.1',
  '[x]',
  '{y}',
  '"q"',
  "it's",
  '50%',
  'a|b',
  'c\\d',
  '-',
]
export const NAMES = ['web-1', 'db.example.com', 'ip-10-0-0-7', 'combo', 'a']
export const PROGRAMS = ['sshd', 'kernel', 'postfix/smtpd', 'sshd(pam_unix)', 'systemd-logind', 'CRON']
export const PATHS = ['/', '/index.html', '/api/v1/users/42?x=1&y=%20', '/ä', '*']
export const AGENTS = ['curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'a "quoted" one']
export const METHODS = ['GET', 'POST', 'DELETE', 'PROPFIND', 'M-SEARCH']
export const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
export const DAYS = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ')
export const two = (n: number): string => String(n).padStart(2, '0')
export function message(random: Random): string {
  return Array.from({ length: random.int(1, 8) }, () => random.pick(WORDS)).join(' ')
}

export function ip(random: Random): string {
  if (random.chance(0.1)) return random.pick(['::1', '2001:db8::7', 'fe80::1:2'])
  return Array.from({ length: 4 }, () => random.int(0, 255)).join('.')
}

export function clock(random: Random): string {
  return `${two(random.int(0, 23))}:${two(random.int(0, 59))}:${two(random.int(0, 59))}`
}

export function date(random: Random): string {
  return `20${two(random.int(10, 30))}-${two(random.int(1, 12))}-${two(random.int(1, 28))}`
}

export function isoTime(random: Random): string {
  const fraction = random.pick(['', '.123', '.123456789', ',5'])
  return `${date(random)}T${clock(random)}${fraction}${random.pick(['Z', '+02:00', '-0700', ''])}`
}

export function orMissing<T>(random: Random, value: T): T | undefined {
  return random.chance(0.25) ? undefined : value
}

/** As a line has it: `-` where there is nothing. */
export function dashed(value: Value): string {
  return value === undefined ? '-' : String(value)
}

export function request(random: Random): { readonly text: string; readonly fields: Readonly<Record<string, Value>> } {
  if (random.chance(0.1)) return { text: '-', fields: { method: undefined, request: undefined } }
  if (random.chance(0.1)) return { text: '\\x16\\x03\\x01', fields: { method: undefined, request: '\\x16\\x03\\x01' } }
  const [method, path, httpversion] = [random.pick(METHODS), random.pick(PATHS), random.pick(['1.0', '1.1', '2.0'])]
  return { text: `${method} ${path} HTTP/${httpversion}`, fields: { method, request: path, httpversion } }
}

/** None is a word of another detail: nginx quotes nothing in its messages. */
export function plainMessage(random: Random): string {
  return Array.from({ length: random.int(1, 8) }, () =>
    random.pick(['open()', 'failed', '(2:', 'No', 'such', 'file)', 'ä']),
  ).join(' ')
}
