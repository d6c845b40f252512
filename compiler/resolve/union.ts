/** Rows of several pipelines as one: what a field may be when it is in only some of them. */
import type { Span } from '../../grammar/index.ts'
import type { ValueType } from '../../storage/value.ts'
import type { KnownFields, Resolved } from './context.ts'
import { unified } from './expression.ts'
import { Scope } from './scope.ts'

/** In the order given; a single input is itself. */
export function unionOf(inputs: readonly Resolved[], origin: Span): Resolved {
  const [first, ...others] = inputs
  if (first === undefined) throw new Error('a union of nothing')
  if (others.length === 0) return first
  return {
    plan: { kind: 'union', origin, input: first.plan, others: others.map(other => other.plan) },
    scope: others.reduce((scope, other) => unionScope(scope, other.scope), first.scope),
    knownFields: others.reduce((known, other) => unionKnown(known, fieldsIn(other)), fieldsIn(first)),
  }
}

function unionScope(a: Scope, b: Scope): Scope {
  const fields = new Map<string, ValueType>()
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    // Where it is not there at all it says nothing of the type.
    const types = [a, b].filter(scope => scope.isOpen || scope.fields.has(name)).map(scope => scope.typeOf(name))
    fields.set(name, unified(types))
  }
  const open = [a, b].filter(scope => scope.isOpen)
  return new Scope(
    fields,
    open.length > 0,
    open.length > 0 && open.every(scope => scope.isStored),
    open.some(scope => scope.isEvents),
  )
}

/** All that is known to be in the rows; null: not known. */
export function fieldsIn({ scope, knownFields }: Resolved): KnownFields {
  if (!scope.isOpen) return scope.fields
  return knownFields === null ? null : new Map([...knownFields, ...scope.fields])
}

function unionKnown(a: KnownFields, b: KnownFields): KnownFields {
  if (a === null || b === null) return null
  const fields = new Map(a)
  for (const [name, type] of b) fields.set(name, unified([fields.get(name) ?? type, type]))
  return fields
}
