/** Sections of case files about writing a query: what completion offers at the `¦`, the signature there, the word under it. */
import { complete, describeAt, signatureAt, tokensOf } from '../grammar/index.ts'
import { KNOWLEDGE } from './knowledge.ts'

export const CURSOR = '¦'

export type ServiceSection = 'complete' | 'signature' | 'describe' | 'tokens'

export function serviceText(section: ServiceSection, argument: string, marked: string): string {
  const offset = Math.max(0, marked.indexOf(CURSOR))
  const text = marked.replace(CURSOR, '')
  switch (section) {
    case 'complete':
      return completionText(text, offset, argument === '' ? Number.POSITIVE_INFINITY : Number(argument))
    case 'signature':
      return signatureLine(text, offset)
    case 'describe': {
      const found = describeAt(text, offset, KNOWLEDGE)
      return found === null ? 'nothing' : `${found.title}\n${found.documentation}`.trim()
    }
    case 'tokens':
      return tokensOf(text)
        .map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
        .join('\n')
  }
}

/** The word that is replaced, then `kind insert` a line, the cursor after inserting where it is not at the end. */
function completionText(text: string, offset: number, count: number): string {
  const { replace, items } = complete(text, offset, KNOWLEDGE)
  const replaced = replace.end > replace.start ? [`replaces ${text.slice(replace.start, replace.end)}`] : []
  const lines = items.slice(0, count).map(({ kind, insert, caret, detail }) => {
    const shown = caret === undefined ? insert : `${insert.slice(0, caret)}${CURSOR}${insert.slice(caret)}`
    return `${kind} ${shown.trim()}${detail === '' ? '' : `  -- ${detail}`}`
  })
  if (lines.length === 0) return [...replaced, 'nothing'].join('\n')
  return [...replaced, ...lines].join('\n')
}

function signatureLine(text: string, offset: number): string {
  const found = signatureAt(text, offset, KNOWLEDGE)
  if (found === null) return 'nothing'
  const active = found.active === null ? undefined : found.parameters[found.active]
  return active === undefined ? found.label : `${found.label}\n${active.label}: ${active.documentation}`
}
