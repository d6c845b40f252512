import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generate } from 'astring'
import type { Expression } from 'estree'
import fc from 'fast-check'
import type { EmitContext, Emitted, Repr } from '../../compiler/codegen/emitted.ts'
import { emitExtend } from '../../compiler/codegen/extend.ts'
import { at, call, id, js, lit, member } from '../../compiler/codegen/js.ts'
import { SCALARS } from '../../compiler/functions/scalar/index.ts'
import type { Expr } from '../../compiler/logical/expr.ts'
import { evaluateConstant } from '../../runtime/evaluate-constant.ts'
import { HELPERS } from '../../runtime/helpers/index.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { anyNumber, anyText } from '../runtime/helpers/arbitrary-values.ts'
import { callScalar } from './scalar-evaluate.ts'

const table = HELPERS as unknown as Readonly<Record<string, (...args: Value[]) => Value>>
const OVERFLOW = 9007199254740991

type Raw = number | boolean | string

/** Runs the fast path on plain arguments; `again` when it asked for the exact one. */
interface FastPath {
  readonly repr: Repr
  run(args: readonly Raw[]): { readonly value: unknown; readonly present: boolean } | 'again'
}

function fastPath(fn: (typeof SCALARS)[number], args: readonly Emitted[]): FastPath | null {
  const statements: string[] = []
  const constants: unknown[] = []
  const bind = (name: string, value: Expression): Expression => {
    const fresh = `${name.replace(/\W/g, '_')}_${statements.length}`
    statements.push(`const ${fresh} = ${generate(value)}`)
    return id(fresh)
  }
  const cx: EmitContext = {
    let: bind,
    helper: (name, ...operands) => call(member(id('rt'), name), ...operands),
    constant: value => at(id('k'), lit(constants.push(value) - 1)),
    before: () => assert.fail('no scalar function needs the prelude'),
    toAny: () => assert.fail('no scalar function boxes'),
    checked: (name, result) => {
      const value = bind(name, result)
      const text = generate(value)
      statements.push(`if (!(${text} <= ${OVERFLOW} && ${text} >= -${OVERFLOW})) return 'again'`)
      return value
    },
  }
  const emitted = fn.emit?.(args, cx) ?? null
  if (emitted === null) return null
  const valid = emitted.valid === null ? 'true' : generate(emitted.valid)
  const body = `"use strict"; ${statements.join('; ')}; return { value: ${generate(emitted.value)}, present: ${valid} }`
  const compiled = new Function('rt', 'k', 'args', body) as (rt: unknown, k: unknown, args: unknown) => 'again'
  return { repr: emitted.repr, run: raw => compiled(HELPERS, constants, raw) }
}

function boxed(repr: Repr, value: Raw): Value {
  return repr === 'time' ? new DateTime(value as number) : repr === 'duration' ? new Duration(value as number) : value
}

/** Ints and floats of ordinary size, and those at the edges of exactness. */
const number = fc
  .oneof(
    fc.integer({ min: -9, max: 9 }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0.5, -7, 2 ** 53 - 1, 1e308, -1e308),
  )
  .map(x => x + 0)
const RAW: Readonly<Record<Exclude<Repr, 'any'>, fc.Arbitrary<Raw>>> = {
  number,
  bool: fc.boolean(),
  string: fc.string({ maxLength: 3 }),
  time: fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
  duration: fc.integer({ min: -1000, max: 2 ** 50 }),
}

describe('the fast path of every scalar function', () => {
  let pathCount = 0
  for (const fn of SCALARS) {
    if (fn.emit === undefined) continue
    it(`${fn.name} agrees with its helper`, () => {
      const arity = fn.parameters.filter(p => !p.optional).length
      for (const reprs of combinations(Object.keys(RAW) as (keyof typeof RAW)[], arity)) {
        const args = reprs.map((repr, i): Emitted => ({ repr, value: at(id('args'), lit(i)), valid: null }))
        const path = fastPath(fn, args)
        if (path === null) continue
        pathCount++
        fc.assert(
          fc.property(fc.tuple(...reprs.map(repr => RAW[repr])), raw => {
            const result = path.run(raw)
            if (result === 'again') return
            const expected = table[fn.helper]!(...raw.map((value, i) => boxed(reprs[i]!, value)))
            const actual = result.present ? boxed(path.repr, result.value as Raw) : null
            assert.deepStrictEqual(actual, expected, `${fn.name}(${raw.join(', ')}) as ${reprs.join(', ')}`)
          }),
          { numRuns: 300 },
        )
      }
    })
  }

  it('exists for the operators of hot loops', () => {
    assert.ok(pathCount > 40, `${pathCount} paths`)
  })

  it('bins times by a constant span as the helper does', () => {
    const bin = SCALARS.find(fn => fn.name === 'bin')!
    for (const ns of [1000, 250e6, 60e9, 3600e9, 86_400e9, 604_800e9, 1_209_600e9]) {
      const span = new Duration(ns)
      const args: Emitted[] = [
        { repr: 'time', value: at(id('args'), lit(0)), valid: null },
        { repr: 'duration', value: lit(ns), valid: null, constant: span },
      ]
      const path = fastPath(bin, args)
      assert.ok(path)
      fc.assert(
        fc.property(RAW.time, micros => {
          const result = path.run([micros])
          assert.ok(result !== 'again')
          assert.deepStrictEqual(boxed('time', result.value as Raw), HELPERS.bin(new DateTime(micros as number), span))
        }),
      )
    }
    const odd = { repr: 'duration', value: js.expr`${lit(250)}`, valid: null, constant: new Duration(250) } as const
    assert.equal(fastPath(bin, [{ repr: 'time', value: at(id('args'), lit(0)), valid: null }, odd]), null)
  })
})

function combinations<T>(items: readonly T[], length: number): T[][] {
  if (length === 0) return [[]]
  return combinations(items, length - 1).flatMap(rest => items.map(item => [...rest, item]))
}

describe('the loop of every function of a lambda', () => {
  const origin = { start: 0, end: 0 }
  const options = { name: 'loop', source: { text: '' }, origin, sourceMaps: false }
  const lists = fc.array(fc.oneof(anyNumber, anyText, fc.constantFrom<Value>(null, true, [1])), { maxLength: 4 })
  for (const fn of SCALARS) {
    if (fn.loop === undefined) continue
    it(`${fn.name} agrees with its helper`, () => {
      const compare = SCALARS.find(each => each.name === (fn.parameters[1]!.type === 'bool' ? '>' : '+'))!
      const operands: Expr[] = [
        { kind: 'parameter', type: 'any', origin, name: 'x' },
        { kind: 'literal', type: 'int', origin, value: 2 },
      ]
      const body: Expr = { kind: 'call', type: 'any', origin, function: compare, args: operands }
      const helper = HELPERS[fn.helper] as unknown as (list: Value, body: (member: Value) => Value) => Value
      fc.assert(
        fc.property(lists, value => {
          const list: Expr = { kind: 'literal', type: 'array', origin, value }
          const args: Expr[] = [list, { kind: 'lambda', type: 'any', origin, parameter: 'x', body }]
          const call: Expr = { kind: 'call', type: 'any', origin, function: fn, args }
          const emitted = evaluateConstant(emitExtend([{ name: 'value', value: call }], options), 0)
          assert.deepStrictEqual(
            emitted,
            helper(value, member => callScalar(compare.name, [member, 2])),
          )
        }),
      )
    })
  }
})
