/** Physical plan to program: every expression becomes a kernel with a name; the plan people see is made beside it. */
import type { SourceText } from '../../grammar/source.ts'
import type { AggregateKey, KernelSpec, OperatorSpec } from '../../runtime/program.ts'
import { emitAggregate } from '../codegen/aggregate.ts'
import { emitExtend } from '../codegen/extend.ts'
import { emitFilter } from '../codegen/filter.ts'
import type { KernelOptions } from '../codegen/kernel-spec.ts'
import { FUNCTIONS } from '../functions/index.ts'
import type { Expr } from '../logical/expr.ts'
import { printExpr } from '../logical/print.ts'
import { mayFail } from '../logical/pure.ts'
import { type PhysicalKey, type PhysicalOp, physicalInputs } from '../physical/ops.ts'
import { packParts } from '../physical/transfer.ts'
import type { PlanNode } from '../types.ts'
import { detailsOf, labelOf } from './labels.ts'
import { streamParts } from './streamstats.ts'

export interface AssembleOptions {
  readonly source: SourceText
  readonly sourceMaps: boolean
}

export interface Assembled {
  readonly root: OperatorSpec
  readonly plan: PlanNode
}

export function assemble(plan: PhysicalOp, options: AssembleOptions): Assembled {
  let kernelCount = 0
  // Numbered from the scan up, in the order data meets them.
  const named = (suffix: string, origin: KernelOptions['origin'], of?: readonly unknown[]): KernelOptions => {
    let text: string | null = null
    // Positions in the query are quoted in the text.
    const identity = (): string => (text ??= packParts([options.source.text, of], FUNCTIONS))
    return {
      name: `kernel${++kernelCount}_${suffix}`,
      source: options.source,
      origin,
      sourceMaps: options.sourceMaps,
      ...(of !== undefined && { identity }),
    }
  }

  const build = (op: PhysicalOp): { readonly spec: OperatorSpec; readonly node: PlanNode } => {
    // In the order in which they run.
    const isRightFirst = op.kind === 'join' && op.readFirst === 'right'
    const inputs = isRightFirst ? [op.right, op.input].map(build).reverse() : physicalInputs(op).map(build)
    const [input] = inputs
    const kernels: { name: string; of: string }[] = []
    const filterKernel = (expr: Expr): KernelSpec => {
      const kernel = emitFilter([expr], named('where', expr.origin, [expr]))
      kernels.push({ name: kernel.name, of: `where ${printExpr(expr)}` })
      return kernel
    }
    // Spread last: what a spread begins has a hidden class of its own in V8, and all that reads specs would meet another with each plan.
    const base = { origin: op.origin, label: labelOf(op) }
    const spec = ((): OperatorSpec => {
      switch (op.kind) {
        case 'scan':
          return {
            op: 'scan',
            indexes: op.indexes,
            lookup: op.lookup,
            time: op.time,
            fields: op.fields,
            order: op.order,
            limit: null,
            nothing: op.nothing,
            keyFilters: op.keyFilters,
            conjuncts: op.conjuncts.map(({ expr, pushed, isExact, searches }) => ({
              pushed,
              isExact,
              searches,
              mayFail: mayFail(expr),
              kernel: filterKernel(expr),
              text: printExpr(expr),
            })),
            ...base,
          }
        case 'filter':
          return { op: 'filter', kernels: op.conjuncts.map(filterKernel), input: input!.spec, ...base }
        case 'extend': {
          const kernel = emitExtend(op.assignments, named('extend', op.origin, [op.assignments]))
          kernels.push({ name: kernel.name, of: base.label })
          return { op: 'extend', kernel, outputs: op.assignments.map(a => a.name), input: input!.spec, ...base }
        }
        case 'sort': {
          const keys = op.keys.map(({ field, descending }) => ({ field, descending }))
          return { op: 'sort', keys, limit: op.limit, temporary: op.temporary, input: input!.spec, ...base }
        }
        case 'dedup':
          return { op: 'dedup', count: op.count, fields: op.fields, input: input!.spec, ...base }
        case 'aggregate': {
          const made = named('stats', op.origin, [op.aggregates, op.keys.length])
          const { absorb, ...emitted } = emitAggregate(op.aggregates, op.keys.length, made)
          const statistics = op.facts === null || absorb === null ? null : { facts: op.facts, absorb }
          kernels.push(...emitted.steps.map(step => ({ name: step.name, of: base.label })))
          const keys = keysOf(op)
          const outputs = [
            ...op.keys.map(key => ({ name: key.name, type: 'any' as const })),
            ...op.aggregates.map(call => ({ name: call.name, type: call.type })),
          ]
          return { op: 'aggregate', keys, outputs, ...emitted, statistics, input: input!.spec, ...base }
        }
        case 'eventstats': {
          const made = named('eventstats', op.origin, [op.aggregates, op.keys.length])
          const { absorb: _, ...emitted } = emitAggregate(op.aggregates, op.keys.length, made)
          kernels.push(...emitted.steps.map(step => ({ name: step.name, of: base.label })))
          const outputs = op.aggregates.map(call => call.name)
          const { temporary } = op
          return {
            op: 'eventstats',
            keys: keysOf(op),
            outputs,
            temporary,
            ...emitted,
            statistics: null,
            input: input!.spec,
            ...base,
          }
        }
        case 'streamstats': {
          const parts = streamParts(op, suffix => {
            const kernel = named(suffix, op.origin)
            kernels.push({ name: kernel.name, of: base.label })
            return kernel
          })
          return { op: 'streamstats', keys: keysOf(op), temporary: op.temporary, ...parts, input: input!.spec, ...base }
        }
        case 'keep':
          return { op: 'keep', fields: op.fields, except: op.except, input: input!.spec, ...base }
        case 'drop':
          return { op: 'drop', fields: op.fields, input: input!.spec, ...base }
        case 'rename':
          return { op: 'rename', pairs: op.pairs, input: input!.spec, ...base }
        case 'parse': {
          const { format, pattern, options: formatOptions, alternatives } = op
          const { from, outputs, prefix, onError, demanded } = op
          const spec = { format, pattern, options: formatOptions, alternatives }
          const parts = { ...spec, from, outputs, prefix, onError, demanded }
          return { op: 'parse', ...parts, input: input!.spec, ...base }
        }
        case 'head':
        case 'tail':
          return { op: op.kind, count: op.count, input: input!.spec, ...base }
        case 'table': {
          const columns = Object.fromEntries(op.inputs.map(({ name, field }) => [name, field]))
          return {
            op: 'table',
            call: op.call,
            inputs: columns,
            temporary: op.temporary,
            input: input!.spec,
            ...base,
          }
        }
        case 'describe':
          return { op: 'describe', input: input!.spec, ...base }
        case 'join': {
          const { type, keys, prefix, matchesNull, readFirst, id } = op
          return {
            op: 'join',
            type,
            keys,
            prefix,
            matchesNull,
            readFirst,
            id,
            input: input!.spec,
            right: inputs[1]!.spec,
            ...base,
          }
        }
        case 'union':
          return { op: 'union', input: input!.spec, others: inputs.slice(1).map(other => other.spec), ...base }
      }
    })()
    const names = kernels.map(kernel => kernel.name).join(', ')
    const details = [...detailsOf(op), ...(names === '' ? [] : [['kernel', names] as const])]
    const node = {
      op: op.kind,
      label: base.label,
      details,
      kernels,
      origin: op.origin,
      children: inputs.map(each => each.node),
    }
    return { spec, node }
  }

  const { spec, node } = build(plan)
  return { root: spec, plan: node }
}

function keysOf({ keys }: { readonly keys: readonly PhysicalKey[] }): AggregateKey[] {
  return keys.map(({ field, name, binMicros, isSeries }) => ({ field, name, binMicros, ...(isSeries && { isSeries }) }))
}
