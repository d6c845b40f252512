import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TypeProblem } from '../../compiler/functions/descriptor.ts'
import { SCALARS } from '../../compiler/functions/scalar/index.ts'
import { valueToJson } from '../../runtime/helpers/format-value.ts'
import { HELPERS } from '../../runtime/helpers/index.ts'
import { typeOf, type ValueType } from '../../storage/value.ts'
import { evaluateText } from './scalar-evaluate.ts'

describe('every scalar function', () => {
  for (const fn of SCALARS) {
    it(`${fn.name} gives what its documentation shows`, () => {
      for (const { expression, result } of fn.doc.examples) {
        assert.equal(valueToJson(evaluateText(expression)), result, expression)
      }
    })
  }

  it('has a name of its own', () => {
    const names = SCALARS.map(fn => fn.name.toLowerCase())
    assert.equal(new Set(names).size, names.length)
  })

  it('has helpers that exist', () => {
    for (const fn of SCALARS) {
      assert.equal(typeof HELPERS[fn.helper], 'function', fn.name)
      if (fn.strictHelper !== undefined) assert.equal(typeof HELPERS[fn.strictHelper], 'function', fn.name)
      if (fn.textHelper !== undefined) assert.equal(typeof HELPERS[fn.textHelper], 'function', fn.name)
    }
  })

  it('says in its documentation what it does, and for every parameter what it is', () => {
    for (const fn of SCALARS) {
      assert.match(fn.doc.summary, /\.$/, fn.name)
      for (const parameter of fn.parameters) assert.notEqual(parameter.doc, '', `${fn.name} ${parameter.name}`)
      const firstOptional = fn.parameters.findIndex(p => p.optional)
      if (firstOptional >= 0)
        assert.ok(
          fn.parameters.slice(firstOptional).every(p => p.optional),
          fn.name,
        )
    }
  })

  it('is not another function under a foreign name', () => {
    const names = new Set(SCALARS.map(fn => fn.name))
    const foreign = SCALARS.flatMap(fn => fn.foreign)
    assert.deepEqual(
      foreign.filter(name => names.has(name)),
      [],
    )
    assert.deepEqual(
      foreign.filter((name, i) => foreign.indexOf(name) !== i),
      [],
    )
  })

  it('takes arguments of unknown type', () => {
    for (const fn of SCALARS) {
      const type = fn.type(fn.parameters.map(() => 'any'))
      assert.equal(typeof type, 'string', fn.name)
    }
  })
})

describe('type rules', () => {
  const find = (name: string) => SCALARS.find(fn => fn.name === name)!
  const typeIs = (name: string, ...args: ValueType[]) => find(name).type(args)
  const problem = (name: string, ...args: ValueType[]) => (find(name).type(args) as TypeProblem).problem

  it('give the type of an operation from the types of its operands', () => {
    assert.equal(typeIs('+', 'int', 'float'), 'number')
    assert.equal(typeIs('+', 'string', 'string'), 'string')
    assert.equal(typeIs('-', 'datetime', 'datetime'), 'duration')
    assert.equal(typeIs('-', 'datetime', 'any'), 'any')
    assert.equal(typeIs('/', 'duration', 'duration'), 'number')
    assert.equal(typeIs('==', 'string', 'int'), 'bool')
    assert.equal(typeIs('bin', 'datetime', 'duration'), 'datetime')
    assert.equal(typeIs('if', 'bool', 'int', 'float'), 'number')
    assert.equal(typeIs('case', 'bool', 'string', 'string'), 'string')
    assert.equal(typeIs('coalesce', 'any', 'string'), 'any')
  })

  it('refuse what can never work', () => {
    assert.equal(problem('+', 'datetime', 'datetime'), 'a datetime and a datetime cannot be added')
    assert.equal(problem('-', 'duration', 'datetime'), 'a duration and a datetime cannot be subtracted')
    assert.equal(problem('==', 'bool', 'string'), 'a bool never compares with a string')
    assert.equal(problem('<', 'array', 'array'), 'an array has no order')
    assert.equal(problem('sqrt', 'array'), 'x must be a number, not an array')
    assert.equal(problem('neg', 'string' as ValueType), undefined)
    assert.equal(problem('bin', 'datetime', 'int'), 'the span of a datetime is a duration, such as 5m')
  })

  it('refuse bad constants', () => {
    assert.match(find('matches').check!([undefined, '(a'])!.problem, /^not a usable pattern: missing closing \)/)
    assert.match(find('extract').check!([undefined, 'a(?=b)'])!.problem, /linear time/)
    assert.equal(find('bin').check!([undefined, undefined, 'Mars/Olympus'])!.problem, 'no time zone "Mars/Olympus"')
    assert.equal(find('strftime').check!([undefined, '%Q'])!.argument, 1)
    assert.equal(find('cidr_match').check!([undefined, '10.0.0.0/33'])!.argument, 1)
  })

  it('promise the type that the examples have', () => {
    for (const fn of SCALARS) {
      const promised = fn.type(fn.parameters.map(() => 'any'))
      for (const { expression } of fn.doc.examples) {
        if (promised === 'any' || typeof promised !== 'string') continue
        const given = typeOf(evaluateText(expression))
        const fits =
          given === 'null' || given === promised || (['int', 'float'].includes(given) && promised === 'number')
        // An example may wrap the function under test in another: only its own results are held to its promise.
        if (fn.parameters.length > 0 && expression.startsWith(`${fn.name}(`))
          assert.ok(fits, `${expression} is ${given}, not ${promised}`)
      }
    }
  })
})
