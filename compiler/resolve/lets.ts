/** `let $x = pipeline;`: each is resolved where it is defined, from those before it; a use takes its plan as it is. */
import type { AstLet, AstLetInput } from '../../grammar/ast.ts'
import { suggestName } from '../../grammar/index.ts'
import type { Lets, ResolveContext, Resolved } from './context.ts'
import { listed } from './expression.ts'

type ResolveLet = (definition: AstLet, lets: Lets) => Resolved

/** What the pipeline after the lets may name. Reports names given twice. */
export function resolveLets(
  definitions: readonly AstLet[],
  cx: Pick<ResolveContext, 'report'>,
  resolve: ResolveLet,
): { readonly lets: Lets; unused(): readonly AstLet[] } {
  const defined = new Map<string, Resolved>()
  const used = new Set<string>()
  const names = definitions.map(({ name }) => name)
  const seenFrom = (current: string | null): Lets => ({
    defined: new Map(defined),
    names,
    current,
    markUsed: name => used.add(name),
  })
  for (const definition of definitions) {
    const { name, nameSpan } = definition
    if (defined.has(name)) {
      cx.report({ code: 'E106', message: `there are two lets named $${name}`, span: nameSpan })
      continue
    }
    defined.set(name, resolve(definition, seenFrom(name)))
  }
  return {
    lets: seenFrom(null),
    unused: () => definitions.filter(({ name }) => !used.has(name)),
  }
}

/** The rows a let names, or null with the reason reported. */
export function rowsOfLet(input: AstLetInput, cx: ResolveContext): Resolved | null {
  const { name, span } = input
  const { defined, names, current } = cx.lets
  const found = defined.get(name)
  cx.lets.markUsed(name)
  if (found !== undefined) return found
  if (name === current) {
    cx.report({ code: 'E105', message: `$${name} is being defined here, so it has no rows yet`, span })
  } else if (names.includes(name)) {
    cx.report({ code: 'E105', message: `$${name} is defined further on; a let uses those before it`, span })
  } else if (Object.hasOwn(cx.variables, name)) {
    cx.report({
      code: 'E109',
      message: `$${name} is a value, given with the request; rows are named by a let`,
      span,
      expected: [`let $${name} = …;`],
    })
  } else {
    const near = suggestName(name, names)
    const there =
      names.length === 0
        ? `write let $${name} = …; before the query`
        : `there are ${listed(names.map(each => `$${each}`))}`
    cx.report({
      code: 'E105',
      message: `there is no let $${name}; ${there}`,
      span,
      ...(near !== null && { suggestion: `$${near}`, edit: { span, text: `$${near}` } }),
    })
  }
  return null
}
