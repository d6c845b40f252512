/** keep, drop and rename: which fields go on, under which names. */
import type { AstFieldPattern } from '../../grammar/ast.ts'
import { suggestName } from '../../grammar/index.ts'
import { newNameBy } from '../../grammar/renamed.ts'
import { globMatches, parseGlob } from '../../runtime/helpers/glob.ts'
import type { ValueType } from '../../storage/value.ts'
import type { LogicalOp } from '../logical/ops.ts'
import { listed } from '../resolve/expression.ts'
import { Scope } from '../resolve/scope.ts'
import type { CoreStage, LowerContext, Lowered, Stage } from './stage.ts'

export const keep: Stage<'keep'> = {
  kind: 'keep',
  doc: {
    summary:
      'Keeps only these fields, in this order; `*` stands for any characters, `keep * except a` keeps all others.',
    examples: [
      { query: 'keep host, st*', input: '{"status":200,"host":"a","ms":4}', output: '{"host":"a","status":200}' },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    const fields = stage.fields.map(field => named(field, cx))
    const except = stage.except.map(field => named(field, cx))
    const op = { kind: 'keep' as const, origin: stage.span, input: cx.input, fields, except }
    const isOpen = cx.scope.isOpen && stage.fields.some(field => field.isPattern)
    const kept = new Map<string, ValueType>()
    for (const [index, pattern] of stage.fields.entries()) {
      if (!pattern.isPattern) kept.set(fields[index]!, cx.scope.typeOf(fields[index]!))
      else for (const [name, type] of cx.scope.fields) if (matches(pattern.pattern, name)) kept.set(name, type)
    }
    for (const pattern of except) for (const name of [...kept.keys()]) if (matches(pattern, name)) kept.delete(name)
    return asWritten(stage, op, fields, new Scope(kept, isOpen, cx.scope.isStored, isOpen && cx.scope.isEvents))
  },
}

/** `keep source` reads `_source`, and the column is called what it was asked for as. */
function asWritten(stage: CoreStage<'keep'>, op: LogicalOp, fields: readonly string[], scope: Scope): Lowered {
  const pairs = stage.fields.flatMap((field, index) => {
    const from = fields[index]!
    return field.isPattern || from === field.pattern ? [] : [{ from, to: field.pattern }]
  })
  if (pairs.length === 0) return { op, scope }
  const toByFrom = new Map(pairs.map(pair => [pair.from, pair.to]))
  const renamed = new Map([...scope.fields].map(([name, type]) => [toByFrom.get(name) ?? name, type] as const))
  return {
    op: { kind: 'rename', origin: stage.span, input: op, pairs },
    scope: new Scope(renamed, scope.isOpen, scope.isStored, scope.isEvents),
  }
}

export const drop: Stage<'drop'> = {
  kind: 'drop',
  doc: {
    summary: 'Leaves these fields out; `*` stands for any characters, and `drop a` takes the members `a.b` along.',
    examples: [{ query: 'drop ms, h*', input: '{"status":200,"host":"a","ms":4}', output: '{"status":200}' }],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    // Dropping what is not there is no mistake: it is not there.
    const fields = stage.fields.map(field => (cx.scope.isOpen ? named(field, cx) : field.pattern))
    const left = new Map(cx.scope.fields)
    for (const pattern of fields) for (const name of [...left.keys()]) if (matches(pattern, name)) left.delete(name)
    return {
      op: { kind: 'drop', origin: stage.span, input: cx.input, fields },
      scope: new Scope(left, cx.scope.isOpen, cx.scope.isStored, cx.scope.isEvents),
    }
  },
}

export const rename: Stage<'rename'> = {
  kind: 'rename',
  doc: {
    summary:
      'Gives fields other names; they keep their place, and `rename a as b` takes the members `a.c` along. What had the new name is replaced.',
    examples: [{ query: 'rename ms as duration', input: '{"ms":4,"host":"a"}', output: '{"duration":4,"host":"a"}' }],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    const pairs = stage.pairs.map(pair => {
      const field = cx.exprs.field(pair.from.name, pair.from.span)
      return { from: field.kind === 'field' ? field.name : pair.from.name, to: pair.to }
    })
    const newName = newNameBy(pairs)
    const fields = new Map<string, ValueType>()
    for (const [name, type] of cx.scope.fields) {
      const to = newName(name)
      if (to !== null) fields.set(to, type)
    }
    for (const { from, to } of pairs) if (!fields.has(to)) fields.set(to, cx.scope.typeOf(from))
    const seen = new Set<string>()
    for (const pair of stage.pairs) {
      if (seen.has(pair.to))
        cx.report({ code: 'E106', message: `two fields would be named '${pair.to}'`, span: pair.toSpan })
      seen.add(pair.to)
    }
    return {
      op: { kind: 'rename', origin: stage.span, input: cx.input, pairs },
      scope: new Scope(fields, cx.scope.isOpen, cx.scope.isStored, cx.scope.isEvents),
    }
  },
}

function matches(pattern: string, name: string): boolean {
  return pattern.includes('*')
    ? globMatches(parseGlob(pattern), name)
    : name === pattern || name.startsWith(`${pattern}.`)
}

/** The field's real name; a pattern as it is. In a closed scope what is not there is a mistake. */
function named(field: AstFieldPattern, cx: LowerContext): string {
  if (!field.isPattern) {
    const expr = cx.exprs.field(field.pattern, field.span)
    return expr.kind === 'field' ? expr.name : field.pattern
  }
  if (!cx.scope.isOpen && ![...cx.scope.fields.keys()].some(name => matches(field.pattern, name))) {
    const near = suggestName(field.pattern, [...cx.scope.fields.keys()])
    cx.report({
      code: 'E101',
      message: `no field matches '${field.pattern}'; there are ${listed([...cx.scope.fields.keys()])}`,
      span: field.span,
      ...(near !== null && { suggestion: near }),
    })
  }
  return field.pattern
}
