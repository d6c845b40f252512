/**
 * Code that counts where text is read as a number, by field, for the hint that says so (runtime/helpers/coercion.ts). It stands only
 * where a column holds boxed values or text anyway: loops over typed columns know nothing of it.
 */
import type { Expression } from 'estree'
import type { CallExpr, Expr } from '../logical/expr.ts'
import type { Emitted } from './emitted.ts'
import type { KernelWriter } from './expression.ts'
import { id, js, lit } from './js.ts'

const NUMBERS: ReadonlySet<string> = new Set(['int', 'float', 'number'])

export class Coercions {
  readonly #writer: KernelWriter
  readonly #isSecond: boolean
  readonly #byBlock = new Set<string>()

  /** @param isSecond  the kernel runs in place of one that gave up on the block and has counted it */
  constructor(writer: KernelWriter, isSecond: boolean) {
    this.#writer = writer
    this.#isSecond = isSecond
  }

  /** Of an operator that reads numbers: its operands as they were emitted, and bound to names. */
  ofOperation({ function: fn, args }: CallExpr, emitted: readonly Emitted[], values: readonly Expression[]): void {
    const isAlways = fn.readsNumbers === 'always'
    for (const [n, arg] of args.entries()) {
      if (arg.kind !== 'field' || (emitted[n]?.repr !== 'any' && emitted[n]?.repr !== 'string')) continue
      const other = args[1 - n]
      const otherRepr = emitted[1 - n]?.repr ?? 'number'
      const isNumber = other === undefined || otherRepr === 'number' || NUMBERS.has(other.type)
      if (isNumber || isAlways) {
        if (this.byBlock(arg.name)) continue
      } else if (otherRepr !== 'any' || (other?.kind === 'literal' && typeof other.value !== 'bigint')) continue
      this.#inRow(arg.name, values[n]!, values[1 - n] ?? lit(0), isAlways)
    }
  }

  /** Of a value that is read as a number whatever it is compared with: an argument of an aggregate, a member of a list of numbers. */
  ofArgument(expr: Expr, value: Expression): void {
    if (expr.kind === 'field' && !this.byBlock(expr.name)) this.#inRow(expr.name, value, lit(0), true)
  }

  /** Columns with a dictionary, or one value for the whole block: before the loop, and once per kernel. False: row by row, then. */
  byBlock(field: string): boolean {
    const { kind } = this.#writer.shapeOf(field)
    if (kind !== 'const' && kind !== 'dict') return false
    if (!this.#isSecond && !this.#byBlock.has(field)) {
      this.#byBlock.add(field)
      const [vector, counter] = [this.#writer.vector(field), counterOf(field)]
      const count = this.#writer.helper('countCoerced', counter, vector, id('selection'), id('selectedCount'))
      this.#writer.before(...js`${count};`)
    }
    return true
  }

  #inRow(field: string, value: Expression, other: Expression, isAlways: boolean): void {
    if (this.#writer.isInTable) return
    const note = this.#writer.helper('noteCoerced', counterOf(field), value, other, lit(isAlways))
    this.#writer.add(...js`if (typeof ${value} === "string") ${note};`)
  }
}

/** In the profile of the run. */
function counterOf(field: string): Expression {
  return lit(`coerced:${field}`)
}
