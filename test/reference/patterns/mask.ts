/**
 * Masking by the plainest regular expressions: the rules of `runtime/patterns/mask.ts` once more, as a table. At each place of a line
 * the first rule that matches wins. Text is looked at as bytes (latin1), as the engine does.
 */
import {
  DURATION,
  digitSlot,
  EMAIL,
  HEX,
  HOST,
  ID,
  IP,
  joinSlots,
  NUM,
  PATH,
  SIZE,
  TIME,
  URL_KIND,
  UUID,
} from '../../../runtime/patterns/kinds.ts'

export interface Masked {
  readonly text: string
  readonly slots: readonly number[]
}

const LINE_BYTES = 4096

/** `{W}`, `{H}` …: classes of bytes, written out. */
const PARTS: Readonly<Record<string, string>> = {
  W: 'A-Za-z0-9_\\x80-\\xff',
  H: '[0-9a-fA-F]',
  S: '\\x00-\\x20\\x7f',
  BEGIN: '(?<![A-Za-z0-9_\\x80-\\xff])',
  NAME: '(?<![A-Za-z0-9_\\x80-\\xff.+%@/-])',
  END: '(?![A-Za-z0-9_\\x80-\\xff])',
  MONTH: '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)',
  DAY: '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)',
  CLOCK: '\\d\\d:\\d\\d:\\d\\d',
  PARTS: '(?:[.,]\\d+)?',
  ZONE: '(?:Z| ?[+-]\\d\\d:?\\d\\d)?',
}

/** How much of what the expression found is meant; 0: nothing. */
type Trim = (found: string, after: string) => number

interface Rule {
  readonly kind: number
  readonly pattern: RegExp
  readonly trim: Trim
}

function rule(kind: number, pattern: string, trim: Trim = found => found.length): Rule {
  const written = pattern.replace(/\{([A-Z]+)\}/g, (_, name: string) => PARTS[name]!)
  return { kind, pattern: new RegExp(written, 'y'), trim }
}

const untilEnd: Trim = found => found.replace(/[.:!?]+$/, '').length

const RULES: readonly Rule[] = [
  rule(TIME, '{BEGIN}(?:{DAY},? +)?{MONTH} +\\d{1,2},?(?: \\d{4}(?= {CLOCK}))? {CLOCK}{PARTS}(?: \\d{4})?{END}'),
  rule(TIME, '{BEGIN}\\d{1,2}[ /-]{MONTH}[ /-]\\d{2,4}[ :T]{CLOCK}{PARTS}{ZONE}{END}'),
  rule(TIME, '{BEGIN}\\d{4}[-/.]\\d\\d[-/.]\\d\\d[T :_-]\\d\\d\\.\\d\\d\\.\\d\\d(?:\\.\\d+)?{END}'),
  rule(TIME, '{BEGIN}\\d{4}[-/.]\\d\\d[-/.]\\d\\d[T :_-]\\d\\d:\\d\\d(?::\\d\\d)?{PARTS}{ZONE}{END}'),
  rule(TIME, '{BEGIN}\\d{4}[-/.]\\d\\d[-/.]\\d\\d{END}'),
  rule(TIME, '{BEGIN}\\d\\d/\\d\\d/\\d{2,4}(?: \\d\\d:\\d\\d(?::\\d\\d)?{PARTS})?{END}'),
  rule(TIME, '{BEGIN}\\d\\d-\\d\\d {CLOCK}{PARTS}{END}'),
  rule(IP, '{BEGIN}\\d{1,3}(?:\\.\\d{1,3}){3}{END}(?!\\.[A-Za-z0-9])'),
  rule(URL_KIND, `{NAME}[A-Za-z](?:[A-Za-z0-9._+%-]*[A-Za-z0-9])?://[^{S}"'<>()[\\]{},;]*`, untilEnd),
  rule(EMAIL, '{NAME}[A-Za-z0-9][A-Za-z0-9._+%-]*@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+(?![{W}-]|\\.[A-Za-z0-9-])'),
  rule(HOST, '{NAME}[A-Za-z0-9][A-Za-z0-9._+%-]*', hostLength),
  rule(UUID, '{BEGIN}{H}{8}(?:-{H}{4}){3}-{H}{12}{END}'),
  rule(HEX, '{BEGIN}(?:{H}{1,2}[:-]){5}{H}{1,2}{END}(?![:-]{H})'),
  rule(IP, '{BEGIN}(?:{H}{1,4}:){7}{H}{1,4}{END}(?!:[0-9a-fA-F:])', addressLength),
  rule(
    IP,
    '{BEGIN}{H}{1,4}(?::{H}{1,4})*::(?:{H}{1,4}(?::{H}{1,4})*)?{END}(?!:[0-9a-fA-F:])(?!(?<=::):)',
    addressLength,
  ),
  rule(TIME, '{BEGIN}\\d{1,2}:\\d\\d:\\d\\d(?:[.,:]\\d+)?{END}'),
  rule(
    PATH,
    `(?<=^|[{S}"'(\\[{<=,;:|])/(?![/*\\d{S}])[^{S}"'<>()[\\]{},;:=|?]+(?:\\?[^{S}"'<>()[\\]{},;|]*)?`,
    (found, after) => {
      const length = untilEnd(found, after)
      return length > 1 ? length : 0
    },
  ),
  rule(PATH, `{BEGIN}[A-Za-z]:\\\\[^{S}"'<>()|,;]*`, found => 3 + found.slice(3).replace(/[.:!?]+$/, '').length),
  rule(HEX, '{BEGIN}0[xX]{H}+{END}'),
  rule(SIZE, '{BEGIN}\\d+(?:[.,]\\d+)*(?:[KMGT]{END}| ?(?:[kKMGTPE]i?)?B{END})'),
  rule(DURATION, '{BEGIN}(?:\\d+(?:\\.\\d+)?(?:ns|us|ms|\\xc2\\xb5s|s|m|h|d))+{END}'),
  rule(NUM, '{BEGIN}\\d+(?:[.,:]\\d+)*(?:[eE][-+]?\\d+)?{END}'),
  rule(HEX, '(?<![A-Za-z0-9])(?=[A-Fa-f0-9]*[A-Fa-f])(?=[A-Fa-f0-9]*\\d)[A-Fa-f0-9]{6,}(?![A-Za-z0-9])'),
  rule(HEX, `{BEGIN}(?:[a-f]+|[A-F]+){END}`, found => ([8, 16, 32, 40, 64].includes(found.length) ? found.length : 0)),
]

const DOMAINS = new Set('com net org edu gov mil int info biz io dev app cloud local lan internal corp'.split(' '))
const COUNTRIES = new Set(
  'ar at au be br ca ch cl cn co cz de dk es eu fi fr gr hk hu id ie il in ir it jp kr mx my nl no nz pl pt ro ru se sg th tr tw ua uk us vn za'.split(
    ' ',
  ),
)
const LEVELS = new Set(
  'trace debug info notice warn warning error err severe fatal crit critical alert emerg'.split(' '),
)

function hostLength(found: string, after: string): number {
  const name = found.replace(/\.+$/, '')
  const labels = name.toLowerCase().split('.')
  const last = labels.at(-1)!
  if (labels.length < 2 || labels.includes('') || /[+%]/.test(name) || /[\x80-\xff/@]/.test(after)) return 0
  if (DOMAINS.has(labels[0]!)) return 0
  return DOMAINS.has(last) || (COUNTRIES.has(last) && labels.length > 2) ? name.length : 0
}

function addressLength(found: string): number {
  const groups = found.split(':').filter(group => group !== '')
  const fits = found.includes('::') ? groups.length >= 2 && groups.length <= 7 : groups.length === 8
  return fits && /\d/.test(found) ? found.length : 0
}

export function mask(bytes: Uint8Array): Masked {
  const whole = Buffer.from(bytes).toString('latin1')
  const line = whole.slice(0, LINE_BYTES)
  let text = ''
  const slots: number[] = []
  const vary = (slot: number): void => {
    text += '\x01'
    slots.push(slot)
  }
  for (let at = 0; at < line.length; ) {
    // A sign is of the number behind it, unless it stands behind a word.
    const from =
      /[-+]/.test(line[at]!) && /\d/.test(line[at + 1] ?? '') && !/[A-Za-z0-9\x80-\xff)\]}.]/.test(line[at - 1] ?? '')
        ? at + 1
        : at
    const found = firstRule(line, from)
    if (found !== null) {
      vary(found.kind)
      at = from + found.length
      if (found.kind === TIME && from === 0) {
        const host = syslogHost(line, at)
        if (host !== null) {
          text += ' '
          vary(HOST)
          at += 1 + host.length
        }
      }
      continue
    }
    const word = /^[A-Za-z0-9]+/.exec(line.slice(from))?.[0]
    const isNew = !/[A-Za-z0-9]/.test(line[from - 1] ?? '')
    if (word !== undefined && isNew && /\d/.test(word)) {
      const pieces = word.match(/\d+|\D+/g)!
      const isPartOfName = pieces.length > 1 || line[from - 1] === '_'
      if (pieces.length >= 4) vary(ID)
      else {
        for (const piece of pieces) {
          if (!/\d/.test(piece)) text += piece
          else vary(isPartOfName && piece.length <= 2 ? digitSlot(NUM, piece.length, Number(piece)) : NUM)
        }
      }
      at = from + word.length
      continue
    }
    text += /[\x00-\x20\x7f]/.test(line[at]!) ? ' ' : line[at]!
    at++
  }
  const listed = shortenLists(text.replace(/ +/g, ' ').replace(/^ /, ''), slots)
  const shown = whole.length > LINE_BYTES ? `${listed.text}\x02` : listed.text.replace(/ $/, '')
  return { text: Buffer.from(shown, 'latin1').toString('utf8'), slots: listed.slots }
}

function firstRule(line: string, at: number): { readonly kind: number; readonly length: number } | null {
  for (const { kind, pattern, trim } of RULES) {
    pattern.lastIndex = at
    const found = pattern.exec(line)
    const length = found === null ? 0 : trim(found[0], line[at + found[0].length] ?? '')
    if (length > 0) return { kind, length }
  }
  return null
}

/** The host in `Jun 14 15:16:01 combo sshd[19939]: …`, behind the time. */
function syslogHost(line: string, at: number): string | null {
  if (/^\d/.test(line) && line[10] !== 'T') return null
  const host = /^ ([A-Za-z0-9._-]+) [^\x00-\x20\x7f]*:(?:[\x00-\x20\x7f]|$)/.exec(line.slice(at))?.[1]
  return host === undefined || LEVELS.has(host.toLowerCase()) ? null : host
}

const AMOUNTS = NUM | HEX | ID | SIZE | DURATION
const KINDS = 0x1fff

function isAlike(left: number, right: number): boolean {
  return (left & KINDS) === (right & KINDS) || ((left & AMOUNTS) !== 0 && (right & AMOUNTS) !== 0)
}

/** Four or more masked things of a word between equal `|`, `,` or `;`. */
function shortenWithin(word: string, slots: readonly number[]): Masked {
  let text = ''
  const kept: number[] = []
  for (let at = 0, slot = 0; at < word.length; at++) {
    text += word[at]
    if (word[at] !== '\x01') continue
    const run = /^\x01(?:([|,;])\x01(?:\1\x01)*)?/.exec(word.slice(at))![0].split('\x01').length - 1
    const alike = slots.slice(slot, slot + run).findIndex(other => !isAlike(other, slots[slot]!))
    const count = alike < 0 ? run : alike
    const taken = count >= 4 ? count : 1
    if (count >= 4) text += '\x02'
    kept.push(slots.slice(slot, slot + taken).reduce(joinSlots))
    at += 2 * (taken - 1)
    slot += taken
  }
  return { text, slots: kept }
}

/** Four or more equal words in a row with something masked in them, commas aside, become one with a mark. */
function shortenLists(text: string, slots: readonly number[]): Masked {
  let slot = 0
  const words = text.split(' ').map(whole => {
    const first = slot
    for (const letter of whole) if (letter === '\x01') slot++
    const { text: written, slots: own } = shortenWithin(whole, slots.slice(first, slot))
    return { written, bare: written.length > 1 ? written.replace(/[,;]$/, '') : written, slots: own }
  })
  const kept: { written: string; slots: readonly number[] }[] = []
  for (let at = 0; at < words.length; ) {
    const word = words[at]!
    let next = at + 1
    const isEqual = (other: typeof word): boolean =>
      other.bare === word.bare && other.slots.every((kind, n) => isAlike(word.slots[n]!, kind))
    if (word.slots.length > 0) while (next < words.length && isEqual(words[next]!)) next++
    const group = words.slice(at, next)
    if (group.length < 4) kept.push(...group)
    else {
      const joined = word.slots.map((_, n) => group.map(other => other.slots[n]!).reduce(joinSlots))
      kept.push({ written: `${word.bare}\x02`, slots: joined })
    }
    at = next
  }
  return { text: kept.map(word => word.written).join(' '), slots: kept.flatMap(word => word.slots) }
}
