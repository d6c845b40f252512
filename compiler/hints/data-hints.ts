/** What the data turned out to be like, told once a run has ended: from its profile, mostly the counters. */
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import { NO_SPAN, quoteField } from '../../grammar/index.ts'
import type { Profile } from '../../runtime/profile.ts'
import { byteCount } from '../explain/figures.ts'
import type { Compiled } from '../types.ts'
import { foundNothing } from './search-hints.ts'

/** The hints from compiling and those of the run; one that only feared what was then found is made exact, in its place. */
export function withDataHints(
  compiled: Pick<Compiled, 'hints' | 'hintsOfNothing'>,
  profile: Profile,
): readonly Diagnostic[] {
  const { counters } = profile
  const hints = [...compiled.hints, ...(foundNothing(profile) ? compiled.hintsOfNothing : [])]
  for (const [counter, count] of counters) {
    const found = dataHint(counter, count, counters)
    if (found === null) continue
    const at = hints.findIndex(hint => hint.code === found.code && argumentOf(hint) === argumentOf(found))
    if (at < 0 || found.suggestion === undefined) hints.push(found)
    else hints[at] = { ...found, span: hints[at]!.span }
  }
  return hints
}

/** The field a cast is suggested for: which cast is known only from the data. */
function argumentOf({ suggestion }: Diagnostic): string | undefined {
  return suggestion?.replace(/^(?:int|float)\(/, '')
}

function dataHint(counter: string, count: number, counters: Profile['counters']): Diagnostic | null {
  const [kind = '', ...rest] = counter.split(':')
  const subject = rest.join(':')
  switch (kind) {
    case 'coerced': {
      const field = quoteField(subject)
      const cast = `${counters.has(`fractional:${subject}`) ? 'float' : 'int'}(${field})`
      const message = `${field} holds strings; ${counted(count, '1 was', 'were')} read as ${count === 1 ? 'a number' : 'numbers'}, use ${cast}`
      return { code: 'H905', message, span: NO_SPAN, suggestion: cast }
    }
    case 'overflow': {
      const message = `${counted(count, '1 result is', 'results are')} beyond 64-bit integers and became ${count === 1 ? 'a float' : 'floats'}`
      return { code: 'H908', message, span: NO_SPAN }
    }
    case 'parse': {
      const message = `${counted(count, '1 text', 'texts')} could not be parsed as ${subject}; see _error_detail`
      return { code: 'H907', message, span: NO_SPAN }
    }
    case 'null-first':
    case 'missing-first': {
      const field = quoteField(subject)
      const message = `${counted(count, '1 row has', 'rows have')} no ${field} and ${count === 1 ? 'stands' : 'stand'} first: nulls do where a sort descends`
      const suggestion = `where ${kind === 'null-first' ? `not is_null(${field})` : `exists(${field})`}`
      return { code: 'H914', message, span: NO_SPAN, suggestion }
    }
    case 'note':
      // What a stage left out or took liberties with, in its own words; the same may be said of several series.
      return { code: 'H910', message: subject + (count > 1 ? ` (${count} times)` : ''), span: NO_SPAN }
    case 'kept': {
      const field = quoteField(subject)
      const message = `parse left ${field} as it was in ${counted(count, '1 event', 'events')} that had it; drop it before, or use prefix`
      return { code: 'H911', message, span: NO_SPAN }
    }
    case 'spilled': {
      const message = `${subject} held more than a query may hold in memory and wrote ${byteCount(count)} to temporary files, which takes longer; narrow the time range, group earlier or keep fewer fields, or raise query.memory`
      return { code: 'H915', message, span: NO_SPAN }
    }
    default:
      return null
  }
}

function counted(count: number, one: string, many: string): string {
  return count === 1 ? one : `${count.toLocaleString('en')} ${many}`
}
