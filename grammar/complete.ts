/**
 * What could be written at the cursor. Pure and quick (one parse of the text before the cursor), so that it can run at every key
 * in a browser or a language server. Whatever the text, it never throws.
 */
import { candidatesAt } from './service/candidates.ts'
import type { Candidate, CompletionItem } from './service/item.ts'
import type { Knowledge } from './service/knowledge.ts'
import { rank } from './service/rank.ts'
import { type Site, siteAt } from './service/site.ts'
import type { Span } from './source.ts'
import type { Place } from './watch.ts'

export interface Completion {
  /** The word under the cursor, which the chosen item replaces. */
  readonly replace: Span
  /** The likeliest first. */
  readonly items: readonly CompletionItem[]
}

/** `offset` counts UTF-16 code units from the beginning of the text. O(text + knowledge). */
export function complete(text: string, offset: number, knowledge: Knowledge): Completion {
  const at = Math.max(0, Math.min(offset, text.length))
  const site = siteAt(text, at)
  if (site === null) return { replace: { start: at, end: at }, items: [] }
  const around = { before: text.slice(0, site.replace.start), after: text.slice(site.replace.end) }
  const variables = [...text.matchAll(/\$([A-Za-z_]\w*)/g)]
    .filter(match => match.index !== site.replace.start)
    .map(match => match[1] ?? '')
  const candidates = inOrder(site.places).flatMap(place => candidatesAt(place, knowledge, around, variables))
  const fitting = rank(
    candidates.filter(candidate => canBeginSo(candidate, site)),
    site.typed,
  )
  return { replace: site.replace, items: fitting.map(({ group: _, ...item }) => item) }
}

/**
 * Where only a duration makes sense an expression could stand too, but nobody wants to be offered one. Of operators the parser
 * asks for the tightest first; people mean the loosest.
 */
function inOrder(places: readonly Place[]): readonly Place[] {
  const durations = places.filter(place => place.expectation.kind === 'duration')
  if (durations.length > 0) return durations
  const isOperator = (place: Place) => place.expectation.kind === 'operator'
  return [...places.filter(place => !isOperator(place)), ...places.filter(isOperator).reverse()]
}

/** After a quote only what is written in such quotes goes on from there. */
function canBeginSo({ kind, insert }: Candidate, { quote }: Site): boolean {
  switch (quote) {
    case '':
      return true
    case '"':
      return kind === 'value' && insert.startsWith('"')
    case '`':
      return kind === 'field'
    case '$':
      return insert.startsWith('$')
  }
}
