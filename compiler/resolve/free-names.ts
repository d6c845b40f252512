/** Which names in a query mean fields: all but those that a lambda around them binds. */
import type { AstQuery } from '../../grammar/ast.ts'

const NONE: ReadonlySet<string> = new Set()

export function freeNames(query: AstQuery): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: unknown, bound: ReadonlySet<string>): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const item of node) visit(item, bound)
      return
    }
    const { kind, name, parameter } = node as {
      readonly kind?: unknown
      readonly name?: unknown
      readonly parameter?: unknown
    }
    if (kind === 'field' && typeof name === 'string') {
      const head = name.split('.', 1)[0] as string
      if (!bound.has(name) && !bound.has(head)) names.add(name).add(head)
    }
    const within = kind === 'lambda' && typeof parameter === 'string' ? new Set([...bound, parameter]) : bound
    for (const child of Object.values(node)) visit(child, within)
  }
  visit(query, NONE)
  return names
}

/** `x`, or `x_2` where a field is called x. */
export function unlike(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) if (!taken.has(`${name}_${number}`)) return `${name}_${number}`
}
