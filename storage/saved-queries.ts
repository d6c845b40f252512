/** Saved queries as stages that others may name (`use`): documents with a `name` and the text `q`. */
import type { DocumentStore } from './index.ts'

/** Where they are kept. */
export const SAVED_QUERIES = 'queries'

interface Named {
  readonly names: readonly string[]
  text(name: string): string | null
}

/** Stages that were given, and saved queries; what was given goes before. */
export function fragmentsOf(given: Readonly<Record<string, string>> = {}, documents: DocumentStore | null): Named {
  const saved = (): (readonly [name: string, text: string])[] =>
    (documents?.list(SAVED_QUERIES) ?? []).flatMap(({ document }) => {
      const { name, q } = document as { readonly name?: unknown; readonly q?: unknown }
      return typeof name === 'string' && typeof q === 'string' ? [[name, q] as const] : []
    })
  return {
    get names() {
      return [...new Set([...Object.keys(given), ...saved().map(([name]) => name)])]
    },
    text: name =>
      Object.hasOwn(given, name) ? given[name]! : (saved().find(([other]) => other === name)?.[1] ?? null),
  }
}
