/** grok, plainly: names replaced by what they stand for until none is left, then the machine of JavaScript. */
import { CASTS } from '../../../runtime/formats/casts.ts'
import { GROK_PATTERNS } from '../../../runtime/formats/grok-patterns.ts'
import type { Value } from '../../../storage/value.ts'
import { type Found, typed } from './texts.ts'

export function readGrok(text: string, pattern: string): Found {
  const fields: { readonly name: string; readonly type: string | undefined }[] = []
  let regex = pattern
  for (let before = ''; before !== regex; ) {
    before = regex
    regex = regex.replace(/%\{(\w+)(?::([^:}]+))?(?::(\w+))?\}/, (_, name: string, field?: string, type?: string) => {
      if (field === undefined) return `(?:${GROK_PATTERNS[name] ?? ''})`
      fields.push({ name: field, type })
      return `(?<f${fields.length - 1}>${GROK_PATTERNS[name] ?? ''})`
    })
  }
  // Node 20 has no flags within a pattern.
  const folded = regex.replace(
    /\(\?i:((?:[^()]|\([^()]*\))*)\)/g,
    (_, inside: string) =>
      `(?:${inside.replace(/\(\?:|\\.|[a-z]/g, part => (part.length === 1 ? `[${part}${part.toUpperCase()}]` : part))})`,
  )
  const match = new RegExp(folded).exec(text)
  if (match === null) return 'no match'
  const found = new Map<string, Value>()
  for (const [group, value] of Object.entries(match.groups ?? {})) {
    const field = fields[Number(/^f(\d+)$/.exec(group)?.[1] ?? -1)] ?? { name: group, type: undefined }
    if (value === undefined || found.has(field.name)) continue
    const cast = CASTS[field.type as keyof typeof CASTS]
    found.set(field.name, cast === undefined ? typed(value) : cast(value))
  }
  return found
}
