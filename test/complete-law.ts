/** What completion promises of every text, for the tests and the fuzzer. Null when it holds, else what is wrong. */
import { type Completion, complete, parse } from '../grammar/index.ts'
import { KNOWLEDGE } from './knowledge.ts'

/** `isFine`: the text is a query, or the beginning of one that ends at the offset, so whatever is wrong later is the item's doing. */
export function brokenLaw(text: string, offset: number, isFine: boolean): string | null {
  const completion = complete(text, offset, KNOWLEDGE)
  const { replace, items } = completion
  if (!(0 <= replace.start && replace.start <= offset && offset <= replace.end && replace.end <= text.length)) {
    return `replaces ${replace.start}..${replace.end} of ${text.length} at ${offset}`
  }
  const labels = items.map(item => `${item.kind} ${item.label}`)
  if (new Set(labels).size !== labels.length) return 'an item is offered twice'
  return isFine ? brokenInsertion(text, offset, completion) : null
}

/** A stage, function or field that is offered is no syntax error where it is put. What follows it may well be one then. */
function brokenInsertion(text: string, offset: number, { replace, items }: Completion): string | null {
  for (const [index, { kind, insert, caret }] of items.entries()) {
    // Some of them in each place, others in the next: every item has its turn.
    if ((index + offset) % 9 !== 0) continue
    if (kind !== 'stage' && kind !== 'function' && kind !== 'field') continue
    const before = text.slice(0, replace.start)
    const written = before + insert + text.slice(replace.end)
    const end = before.length + insert.trimEnd().length
    const wrong = parse(written).diagnostics.find(
      ({ code, span }) => code.startsWith('E3') && span.start >= before.length && span.start < end,
    )
    if (wrong !== undefined) return `${written}\n${kind} ${insert}: ${wrong.code} ${wrong.message}`
    if (index < 9) complete(written, before.length + (caret ?? insert.length), KNOWLEDGE)
  }
  return null
}
