/** Texts as services write them: 60 to 120 characters of words, with phrases a person would search for. */
import type { Random } from './random.ts'

const WORDS = [
  'request',
  'accepted',
  'by',
  'worker',
  'after',
  'retry',
  'queue',
  'depth',
  'is',
  'within',
  'limits',
  'for',
  'tenant',
  'cache',
  'miss',
  'on',
  'shard',
  'replica',
  'lagging',
  'behind',
  'leader',
  'checkpoint',
  'written',
  'to',
  'disk',
  'slow',
  'query',
  'plan',
  'changed',
  'index',
  'rebuilt',
  'session',
  'token',
  'refreshed',
  'payload',
  'validated',
  'against',
  'schema',
  'version',
  'upstream',
  'answered',
  'in',
  'time',
  'batch',
  'committed',
  'offset',
  'advanced',
  'partition',
  'assigned',
  'consumer',
  'group',
  'rebalanced',
  'connection',
  'pool',
  'exhausted',
  'waiting',
  'lock',
  'released',
  'certificate',
  'renewed',
  'rate',
  'limit',
  'reached',
  'circuit',
  'closed',
  'health',
  'check',
  'passed',
]

const SHORTEST = 60
const LONGEST = 120

export interface MessageSubject {
  readonly user: string
  readonly path: string
  readonly trace: string
  readonly durationMs: number
  readonly isError: boolean
}

/** Phrases come first or last, so that both ends of a text are searched for. */
export function createMessages(random: Random): (subject: MessageSubject) => string {
  return subject => {
    const phrase = phraseOf(random, subject)
    const target = Math.max(phrase.length, SHORTEST) + random.below(LONGEST - Math.max(phrase.length, SHORTEST) - 11)
    let words = ''
    while (phrase.length + words.length < target) words += ` ${WORDS[random.below(WORDS.length)]}`
    return (random.uint32() & 3) === 0 && words !== '' ? `${words.slice(1)}: ${phrase}` : phrase + words
  }
}

function phraseOf(random: Random, { user, path, trace, durationMs, isError }: MessageSubject): string {
  const kind = random.below(100)
  if (isError) {
    if (kind < 35) return `connection reset by peer while reading ${path}`
    if (kind < 60) return `Timeout after ${Math.round(durationMs)} ms waiting for upstream`
    if (kind < 70) return `request failed, trace ${trace}`
    return 'handler failed with an unexpected answer'
  }
  if (kind < 5) return 'connection reset by peer'
  if (kind < 20) return `user ${user} logged in from ${addressOf(random)}`
  if (kind < 25) return `span finished, trace ${trace}`
  if (kind < 45) return `served ${path} in ${Math.round(durationMs)} ms`
  if (kind < 50) return `Timeout of the cache ignored, took ${Math.round(durationMs)} ms`
  return `job ${random.below(1_000_000)} done`
}

function addressOf(random: Random): string {
  const bits = random.uint32()
  return `10.${bits & 255}.${(bits >>> 8) & 255}.${(bits >>> 16) & 255}`
}
