/** Operands of `and` and `or`, of which some need statements before they can be tested. */
import type { Expression } from 'estree'
import type { KernelWriter } from './expression.ts'
import { id, js } from './js.ts'

/** Short-circuits: an operand that needs statements of its own runs only when those before it left the matter open. */
export function shortCircuit(
  writer: KernelWriter,
  operands: readonly (() => Expression)[],
  join: (tests: readonly Expression[]) => Expression,
  goOn: boolean,
): Expression {
  let tests: Expression[] = []
  let result: Expression | null = null
  for (const operand of operands) {
    const { statements, result: test } = writer.capture(operand)
    if (statements.length === 0) {
      tests.push(test)
      continue
    }
    const before = result === null ? join(tests) : join([result, ...tests])
    tests = []
    if (result === null && before.type === 'Literal') {
      // Known before any row is seen, as whether a column is there at all.
      if (before.value !== goOn) return before
      writer.add(...statements)
      tests.push(test)
      continue
    }
    const name = id(writer.scope.fresh(goOn ? 'all' : 'any'))
    const open = goOn ? name : js.expr`!${name}`
    writer.add(...js`let ${name} = ${before}; if (${open}) { ${statements} ${name} = ${test}; }`)
    result = name
  }
  if (result === null) return join(tests)
  return tests.length === 0 ? result : join([result, ...tests])
}
