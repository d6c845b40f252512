/** A random `parse` over the text fields there are, mostly in the format that their text is in, and the fields it may make. */
import type { Field, Topic } from './data.ts'
import { FORMAT_LINES } from './lines.ts'
import { createRandom, type Random } from './random.ts'

/** Formats with what they may find in any text of the random data. */
const OTHERS: readonly (readonly [string, readonly string[]])[] = [
  ['json', ['user', 'n', 'big', 'tags', 'http.status']],
  ['logfmt', ['user', 'ms', 'msg', 'flag']],
  ['kv(sep=";", assign=":")', ['a', 'b']],
  ['csv', ['column1', 'column2']],
  ['csv(sep=" ")', ['column1', 'column3']],
  ['regex r"user=(?<user>\\w+) ms=(?<ms>\\d+)"', ['user', 'ms']],
  ['regex r"(?<first>\\w+)[^a-z]+(?<second>\\w*)"', ['first', 'second']],
  ['pattern "user=<user> ms=<ms>"', ['user', 'ms']],
  ['grok "%{WORD:word}.*?%{INT:n:int}"', ['word', 'n']],
  ['combined', ['method', 'status', 'bytes', 'clientip']],
]

const GENERAL = ['auto', 'first_of(json, logfmt, syslog)', 'first_of(combined, nginx_error, cri)']

interface Made {
  readonly text: string
  readonly added: readonly Field[]
}

export function randomParse(random: Random, fields: readonly Field[]): Made | null {
  const texts = fields.filter(({ name }) => name === 'body' || name === 'message' || name === 'mixed')
  if (texts.length === 0) return null
  const own = texts.find(field => field.topic !== undefined)
  const source = own !== undefined && random.chance(0.7) ? own : random.pick(texts)
  const prefix = random.chance(0.3) ? 'p_' : ''
  const onError = random.pick(['', '', ' on_error drop', ' on_error null'])
  const topical = source.topic !== undefined && random.chance(0.7) ? ofTopic(random, source.topic) : null
  const { format, found } = topical ?? other(random)
  const into = topical?.isStable === true && random.chance(0.2) ? random.some(found).slice(0, 3) : null
  const clause =
    into === null ? '' : ` into (${into.map(({ name }) => name + random.pick(['', ' as string'])).join(', ')})`
  const text = `parse ${format} from ${source.name}${clause}${prefix && ' prefix p_'}${onError} | drop _error_detail`
  const added = (into ?? found).map((field): Field => ({ ...field, name: prefix + field.name }))
  return { text, added }
}

interface Format {
  readonly format: string
  readonly found: readonly Field[]
  /** Are the names of its fields those of every text? */
  readonly isStable: boolean
}

function other(random: Random): Format {
  const [format, names] = random.pick(OTHERS)
  return { format, found: names.map(name => ({ name, type: 'any' })), isStable: false }
}

function ofTopic(random: Random, topic: Topic): Format {
  const { format, fields } = FORMAT_LINES[topic](createRandom(0))
  const found = Object.keys(fields).map((name): Field => ({ name, type: 'any' }))
  if (random.chance(0.8)) return { format, found, isStable: true }
  const general = random.pick(GENERAL)
  return { format: general, found: [...found, { name: '_format', type: 'any' }], isStable: false }
}
