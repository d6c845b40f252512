/**
 * Syntax to typed expressions: names bound, operators and calls become descriptor references, sugar (`between`, `not in`, `if`)
 * gone. Everything wrong is reported at its place; what is wrong becomes null, so that one pass reports all of it.
 */
import type { AstCall, AstExpr, AstIn, AstLambda, LiteralValue } from '../../grammar/ast.ts'
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import { NO_SPAN, printCall, printExpr, printString, type Span, suggestName } from '../../grammar/index.ts'
import { DateTime, Duration, type Value, type ValueType } from '../../storage/value.ts'
import type { ScalarFunction, TypeProblem } from '../functions/descriptor.ts'
import { lookupAggregate, lookupScalar } from '../functions/index.ts'
import { unseenField } from '../hints/unseen-fields.ts'
import type { Expr, LiteralExpr, ParameterExpr } from '../logical/expr.ts'
import { printExpr as printPlanExpr } from '../logical/print.ts'
import type { ResolveContext } from './context.ts'
import { unlike } from './free-names.ts'
import type { Scope } from './scope.ts'
import { neverIn, neverTrue, type StoredField } from './stored-types.ts'

/** Names the specification lets people write for a field. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['source', '_source'],
  ['sourcetype', '_sourcetype'],
])

export class ExprResolver {
  readonly #scope: Scope
  readonly #cx: ResolveContext
  /** Parameters of the lambdas around the place at hand; they hide fields of the same name. */
  #locals: ReadonlyMap<string, Omit<ParameterExpr, 'origin'>> = new Map()

  #isQuiet = false
  /** The field at hand is a condition by itself. */
  #isCondition = false

  constructor(scope: Scope, cx: ResolveContext) {
    this.#scope = scope
    this.#cx = cx
  }

  /** A condition: its type must be able to be a boolean. */
  predicate(ast: AstExpr): Expr {
    this.#isCondition = ast.kind === 'field'
    const expr = this.expr(ast)
    this.#isCondition = false
    if (expr.type !== 'bool' && expr.type !== 'any' && expr.type !== 'null') {
      this.#cx.report({
        code: 'E207',
        message: `a condition must be true or false; this is ${expr.type === 'int' ? 'an' : 'a'} ${expr.type}`,
        span: ast.span,
        ...this.#asCondition(ast, expr),
      })
    }
    return expr
  }

  /** What was probably meant: that a field exists, or, of a text, that the event contains it as a search term would. */
  #asCondition(ast: AstExpr, expr: Expr): Partial<Diagnostic> {
    if (expr.kind === 'field') return { suggestion: `exists(${expr.name})` }
    if (expr.kind !== 'literal' || typeof expr.value !== 'string' || !this.#scope.has('_raw')) return {}
    const text = `contains(_raw, ${printString(expr.value)})`
    return { suggestion: text, edit: { span: ast.span, text } }
  }

  expr(ast: AstExpr): Expr {
    switch (ast.kind) {
      case 'literal':
        return literal(literalValue(ast.value), ast.span)
      case 'field':
        return this.field(ast.name, ast.span)
      case 'variable':
        return this.#variable(ast.name, ast.span)
      case 'binary':
        return this.#binary(ast)
      case 'not':
        return { kind: 'not', type: 'bool', origin: ast.span, operand: this.predicate(ast.operand) }
      case 'negate': {
        const operand = this.expr(ast.operand)
        if (operand.kind === 'literal' && typeof operand.value === 'number') return literal(0 - operand.value, ast.span)
        return this.#apply(this.#operator('neg'), [operand], ast.span, [ast.operand.span])
      }
      case 'in':
        return this.#in(ast)
      case 'between': {
        const operand = this.expr(ast.operand)
        const low = this.#apply(this.#operator('>='), [operand, this.expr(ast.low)], ast.span, [
          ast.operand.span,
          ast.low.span,
        ])
        const high = this.#apply(this.#operator('<='), [operand, this.expr(ast.high)], ast.span, [
          ast.operand.span,
          ast.high.span,
        ])
        const both: Expr = { kind: 'and', type: 'bool', origin: ast.span, operands: [low, high] }
        return ast.negated ? { kind: 'not', type: 'bool', origin: ast.span, operand: both } : both
      }
      case 'call':
        return this.#call(ast)
      case 'member': {
        const key = literal(ast.name, ast.span)
        return this.#apply(this.#operator('get'), [this.expr(ast.object), key], ast.span, [ast.object.span, ast.span])
      }
      case 'index': {
        const args = [this.expr(ast.object), this.expr(ast.index)]
        return this.#apply(this.#operator('get'), args, ast.span, [ast.object.span, ast.index.span])
      }
      case 'array': {
        const elements = ast.elements.map(element => this.expr(element))
        if (elements.every(isLiteral))
          return literal(
            elements.map(e => (e as LiteralExpr).value ?? null),
            ast.span,
          )
        return this.#apply(
          this.#operator('array'),
          elements,
          ast.span,
          ast.elements.map(e => e.span),
        )
      }
      case 'object': {
        const members = ast.members.map(member => ({ name: member.name, value: this.expr(member.value) }))
        if (members.every(member => isLiteral(member.value))) {
          const entries = members.map(m => [m.name, (m.value as LiteralExpr).value ?? null] as const)
          return literal(Object.fromEntries(entries), ast.span)
        }
        const args = members.flatMap(member => [literal(member.name, ast.span) as Expr, member.value])
        return this.#apply(
          this.#operator('object'),
          args,
          ast.span,
          args.map(() => ast.span),
        )
      }
      case 'lambda':
        this.#cx.report({
          code: 'E403',
          message: `a lambda stands only as an argument of ${this.#lambdaFunctions().join(', ')}`,
          span: ast.span,
        })
        return nothing(ast.span)
      case 'bad':
        return nothing(ast.span)
    }
  }

  field(written: string, span: Span): Expr {
    return this.#local(written, span) ?? this.#stored(written, span)
  }

  /** `x` or `x.a.b`, where x is the parameter of a lambda. */
  #local(written: string, span: Span): Expr | null {
    if (this.#locals.size === 0) return null
    const [head = '', ...path] = this.#locals.has(written) ? [written] : written.split('.')
    const parameter = this.#locals.get(head)
    return parameter === undefined ? null : this.#member({ ...parameter, origin: span }, path, span)
  }

  #member(object: Expr, path: readonly string[], span: Span): Expr {
    return path.reduce(
      (inner, name) => this.#apply(this.#operator('get'), [inner, literal(name, span)], span, [span, span]),
      object,
    )
  }

  #stored(written: string, span: Span): Expr {
    const alias = ALIASES.get(written)
    const name = alias !== undefined && !this.#scope.fields.has(written) && this.#scope.isEvents ? alias : written
    const object = this.#scope.has(name) ? null : this.#scope.objectAround(name)
    if (object !== null) {
      const field: Expr = { kind: 'field', type: this.#scope.typeOf(object), origin: span, name: object }
      return this.#member(field, name.slice(object.length + 1).split('.'), span)
    }
    if (!this.#scope.has(name)) {
      const near = suggestName(name, [...this.#scope.fields.keys()])
      const text = near === null ? undefined : near
      this.#cx.report({
        code: 'E101',
        message: `no field '${written}' here; there are ${listed([...this.#scope.fields.keys()])}`,
        span,
        ...(text !== undefined && { suggestion: text, edit: { span, text: this.#columnText(text) } }),
      })
    } else this.#hintUnknown(name, span)
    return { kind: 'field', type: this.#scope.typeOf(name), origin: span, name }
  }

  /** Fields that a stage tries by itself: nobody wrote them, so nobody is told that no event has them. */
  unasked(ast: AstExpr): Expr {
    this.#isQuiet = true
    try {
      return this.expr(ast)
    } finally {
      this.#isQuiet = false
    }
  }

  /** How a column is written: `count()` is text of the language already. */
  #columnText(name: string): string {
    return name.includes('(') || /^[A-Za-z_@][\w@.]*$/.test(name) ? name : `\`${name}\``
  }

  /** Events are open, so an unknown field is legal and every row lacks it; usually it is a typo, so say so. */
  #hintUnknown(name: string, span: Span): void {
    const { knownFields } = this.#cx
    if (this.#isQuiet || !this.#scope.isEvents || !this.#scope.isNamed) return
    if (this.#scope.fields.has(name) || name === 'index' || name.startsWith('_')) return
    // A member of an object that a stage made.
    for (const made of this.#scope.fields.keys()) if (name.startsWith(`${made}.`)) return
    const field = { name, span, made: [...this.#scope.fields.keys()], ...(this.#isCondition && { isCondition: true }) }
    if (knownFields === null) this.#cx.named(field)
    if (knownFields === null || knownFields.size === 0 || knownFields.has(name)) return
    for (const known of knownFields.keys()) if (known.startsWith(`${name}.`)) return
    this.#cx.hint(unseenField(field, knownFields.keys(), this.#cx.catalog.sampledEvents))
  }

  #variable(name: string, span: Span): Expr {
    const value = Object.hasOwn(this.#cx.variables, name) ? this.#cx.variables[name] : undefined
    if (value === undefined && this.#cx.lets.names.includes(name)) {
      const message = `$${name} names rows (a let); a value is given with the request, in "variables"`
      this.#cx.report({ code: 'E109', message, span })
      return nothing(span)
    }
    if (value === undefined) {
      const near = suggestName(name, Object.keys(this.#cx.variables))
      this.#cx.report({
        code: 'E105',
        message: `$${name} is not bound; give it a value in "variables"`,
        span,
        ...(near !== null && { suggestion: `$${near}` }),
      })
      return nothing(span)
    }
    return literal(value, span)
  }

  #binary(ast: Extract<AstExpr, { readonly kind: 'binary' }>): Expr {
    const { operator, span } = ast
    if (operator === 'and' || operator === 'or') {
      // Long chains lean to the left; walking them with a loop keeps a thousand terms off the stack.
      const asts: AstExpr[] = []
      let left: AstExpr = ast
      while (left.kind === 'binary' && left.operator === operator) {
        asts.push(left.right)
        left = left.left
      }
      asts.push(left)
      const operands = asts.reverse().flatMap(operand => {
        const expr = this.predicate(operand)
        return expr.kind === operator ? expr.operands : [expr]
      })
      return { kind: operator, type: 'bool', origin: span, operands }
    }
    if (operator === '??') {
      const operands = [this.expr(ast.left), this.expr(ast.right)].flatMap(e =>
        e.kind === 'coalesce' ? e.operands : [e],
      )
      return { kind: 'coalesce', type: commonType(operands), origin: span, operands }
    }
    const args = [this.expr(ast.left), this.expr(ast.right)]
    return this.#apply(this.#operator(operator), args, span, [ast.left.span, ast.right.span])
  }

  #in(ast: AstIn): Expr {
    const operand = this.expr(ast.operand)
    const list = this.expr(ast.list)
    let expr: Expr
    const values = list.kind === 'literal' && Array.isArray(list.value) ? (list.value as readonly Value[]) : null
    // A null in the list makes the answer null where it is not true: left to the general form.
    if (values?.every(value => value !== null)) {
      const field = this.#storedField(operand)
      const problem = field === null ? null : neverIn(field, values, ast.span)
      if (problem !== null) this.#cx.report(problem)
      expr = { kind: 'in-set', type: 'bool', origin: ast.span, operand, values }
    } else expr = this.#apply(this.#operator('in'), [operand, list], ast.span, [ast.operand.span, ast.list.span])
    return ast.negated ? { kind: 'not', type: 'bool', origin: ast.span, operand: expr } : expr
  }

  #call(ast: AstCall): Expr {
    const column = printCall(ast)
    if (this.#scope.fields.has(column)) {
      return { kind: 'field', type: this.#scope.typeOf(column), origin: ast.span, name: column }
    }
    const fn = lookupScalar(this.#cx.functions, ast.name)
    if (fn === null || fn.notation !== 'call') return this.#unknownFunction(ast)
    if (ast.where !== null) {
      this.#cx.report({ code: 'E301', message: "only aggregates take 'where'", span: ast.where.span })
    }
    if (fn.form !== undefined) return this.#lazy(fn, ast)
    const args = fn.loop === undefined ? ast.args.map(arg => this.expr(arg)) : this.#withLambda(fn, ast)
    if (ast.strict && fn.strictHelper === undefined) {
      this.#cx.report({
        code: 'E301',
        message: `'!' belongs to casts: int!() float!() string!() bool!() datetime!() duration!()`,
        span: ast.nameSpan,
        suggestion: fn.name,
      })
    }
    return this.#apply(
      fn,
      args,
      ast.span,
      ast.args.map(arg => arg.span),
      ast.strict,
    )
  }

  /** The list, and what is asked about its members. */
  #withLambda(fn: ScalarFunction, ast: AstCall): readonly Expr[] {
    const args: Expr[] = []
    for (const [index, arg] of ast.args.entries()) {
      const parameter = fn.parameters[index]
      if (parameter?.lambda !== true) args.push(this.expr(arg))
      else if (arg.kind === 'lambda') args.push(this.#lambda(arg, parameter.type === 'bool', membersOf(args[0])))
      else {
        this.expr(arg)
        const written = arg.kind === 'literal' ? `x -> x == ${printExpr(arg)}` : undefined
        this.#cx.report({
          code: 'E202',
          message: `${parameter.name} of ${fn.name}() is a lambda, such as x -> ${parameter.type === 'bool' ? 'x > 3' : 'x * 2'}`,
          span: arg.span,
          ...(written !== undefined && { suggestion: written, edit: { span: arg.span, text: written } }),
        })
        args.push(nothing(arg.span))
      }
    }
    return args
  }

  #lambda(ast: AstLambda, isCondition: boolean, type: ValueType): Expr {
    const name = this.#cx.freeNames.has(ast.parameter) ? unlike(ast.parameter, this.#cx.freeNames) : ast.parameter
    const outer = this.#locals
    this.#locals = new Map([...outer, [ast.parameter, { kind: 'parameter', type, name }]])
    try {
      const body = isCondition ? this.predicate(ast.body) : this.expr(ast.body)
      return { kind: 'lambda', type: body.type, origin: ast.span, parameter: name, body }
    } finally {
      this.#locals = outer
    }
  }

  #lambdaFunctions(): readonly string[] {
    return [...this.#cx.functions.scalars.values()].filter(fn => fn.loop !== undefined).map(fn => fn.name)
  }

  #unknownFunction(ast: AstCall): Expr {
    const { functions } = this.#cx
    const edit = (name: string) => ({ suggestion: name, edit: { span: ast.nameSpan, text: name } })
    if (lookupAggregate(functions, ast.name) !== null) {
      this.#cx.report({
        code: 'E204',
        message: `${ast.name}() is an aggregate; it stands in stats${this.#scope.isOpen ? '' : `, and there is no column '${printCall(ast)}' here`}`,
        span: ast.span,
      })
      return nothing(ast.span)
    }
    if (functions.windows.has(ast.name)) {
      const message = `${ast.name}() looks at other rows of its group; it stands in streamstats`
      this.#cx.report({ code: 'E204', message, span: ast.span })
      return nothing(ast.span)
    }
    const foreign = [...functions.scalars.values()].find(fn => fn.foreign.includes(ast.name))
    const names = [...functions.scalars.values()].filter(fn => fn.notation === 'call').map(fn => fn.name)
    // After stats a call may name a column, `count()`.
    const columns = this.#scope.isOpen ? [] : [...functions.aggregates.keys()]
    const near = foreign?.name ?? suggestName(ast.name, [...names, ...columns])
    this.#cx.report({
      code: 'E104',
      message: `no function '${ast.name}'`,
      span: ast.nameSpan,
      ...(near != null && edit(near)),
    })
    return nothing(ast.span)
  }

  /** `if`, `case` and `coalesce` evaluate only what they need. */
  #lazy(fn: ScalarFunction, ast: AstCall): Expr {
    const count = ast.args.length
    const wrong = fn.form === 'if' ? count < 2 || count > 3 : fn.form === 'case' ? count < 2 : count < 1
    if (wrong) return this.#wrongCount(fn, ast.span, count)
    if (fn.form === 'coalesce') {
      const operands = ast.args.map(arg => this.expr(arg))
      return { kind: 'coalesce', type: commonType(operands), origin: ast.span, operands }
    }
    const branches: { when: Expr; then: Expr }[] = []
    let index = 0
    for (; index + 1 < count; index += 2) {
      branches.push({ when: this.predicate(ast.args[index]!), then: this.expr(ast.args[index + 1]!) })
    }
    const otherwise = index < count ? this.expr(ast.args[index]!) : literal(null, ast.span)
    const type = commonType([...branches.map(branch => branch.then), otherwise])
    return { kind: 'case', type, origin: ast.span, branches, otherwise }
  }

  #operator(name: string): ScalarFunction {
    const fn = lookupScalar(this.#cx.functions, name)
    if (fn === null) throw new Error(`operator ${name} has no descriptor`)
    return fn
  }

  #apply(fn: ScalarFunction, args: readonly Expr[], span: Span, spans: readonly Span[], strict = false): Expr {
    if (!hasRightCount(fn, args.length)) return this.#wrongCount(fn, span, args.length)
    const constants = args.map(arg => (arg.kind === 'literal' ? arg.value : undefined))
    for (const [index, parameter] of fn.parameters.entries()) {
      const arg = args[index]
      if (parameter.constant === true && arg !== undefined && arg.kind !== 'literal') {
        this.#problem(
          { problem: `${parameter.name} of ${fn.name}() must be written out, not computed`, argument: index },
          spans,
          span,
        )
      }
    }
    const checked = fn.check?.(constants) ?? null
    if (checked !== null) this.#problem(checked, spans, span, 'E205')
    const type = fn.type(args.map(arg => arg.type))
    if (typeof type === 'object') {
      this.#problem(
        type,
        spans,
        span,
        fn.category === 'operator' && fn.notation === 'infix' && isComparison(fn.name) ? 'E203' : 'E202',
      )
      return nothing(span)
    }
    if (isComparison(fn.name) && fn.notation === 'infix') this.#checkStored(fn.name, args, span, spans)
    if (fn.category === 'operator') this.#hintCoercion(args)
    return { kind: 'call', type, origin: span, function: fn, args, ...(strict && { strict: true as const }) }
  }

  /** A field whose type is known: made by a stage, or as it is stored and the catalog says. */
  #storedField(expr: Expr | undefined): StoredField | null {
    const { knownFields } = this.#cx
    if (expr?.kind !== 'field') return null
    const { name, type: computed } = expr
    if (computed !== 'any' && computed !== 'null') return { name, type: computed }
    if (knownFields === null) return null
    if (!this.#scope.isOpen || !this.#scope.isStored || this.#scope.fields.has(name)) return null
    // A member may be one of an object that is stored whole, of which nothing is known.
    for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
      if (knownFields.has(name.slice(0, dot))) return null
    }
    const type = knownFields.get(name)
    return type === undefined ? null : { name, type }
  }

  #hintNull(name: string, operand: Expr, span: Span): void {
    const text = printPlanExpr(operand)
    this.#cx.hint({
      code: 'H909',
      message: 'a comparison with null is null, never true',
      span,
      suggestion:
        name === '!=' ? `exists(${text}) and not is_null(${text})` : `is_null(${text}) or is_missing(${text})`,
    })
  }

  #checkStored(name: string, args: readonly Expr[], span: Span, spans: readonly Span[]): void {
    for (const [index, arg] of args.entries()) {
      const other = args[1 - index]
      if (arg.kind !== 'literal' || other === undefined || other.kind === 'literal') continue
      if (arg.value == null) this.#hintNull(name, other, span)
      const field = this.#storedField(other)
      if (field === null || arg.value == null) continue
      const problem = neverTrue(field, arg.value, span, spans[index] ?? NO_SPAN)
      if (problem !== null) this.#cx.report(problem)
    }
  }

  /** Text against a number works, value by value, and is slower and more surprising than a field of numbers. */
  #hintCoercion(args: readonly Expr[]): void {
    if (args.some(arg => arg.kind === 'literal' && (arg.type === 'int' || arg.type === 'float')))
      for (const arg of args) this.hintStrings(arg)
  }

  /** Where numbers are meant and a stored field of strings stands. */
  hintStrings(arg: Expr): void {
    if (arg.kind !== 'field' || this.#scope.fields.has(arg.name)) return
    if (this.#cx.knownFields?.get(arg.name) !== 'string') return
    this.#cx.hint({
      code: 'H905',
      message: `${arg.name} holds strings; those that write a number are read as numbers`,
      span: arg.origin,
      suggestion: `int(${arg.name})`,
    })
  }

  #problem(problem: TypeProblem, spans: readonly Span[], whole: Span, code: 'E202' | 'E203' | 'E205' = 'E202'): void {
    this.#cx.report({
      code,
      message: problem.problem,
      span: spans[problem.argument] ?? whole,
      ...(problem.suggestion !== undefined && { suggestion: problem.suggestion }),
    })
  }

  #wrongCount(fn: ScalarFunction, span: Span, given: number): Expr {
    const names = fn.parameters.map(p => (p.optional ? `[${p.name}]` : p.name) + (p.variadic ? ' …' : ''))
    this.#cx.report({
      code: 'E201',
      message: `${fn.name}(${names.join(', ')}) was given ${given} ${given === 1 ? 'argument' : 'arguments'}`,
      span,
    })
    return nothing(span)
  }
}

export function hasRightCount(fn: Pick<ScalarFunction, 'parameters'>, count: number): boolean {
  const required = fn.parameters.filter(p => p.optional !== true).length
  const isVariadic = fn.parameters.at(-1)?.variadic === true
  return count >= required && (isVariadic || count <= fn.parameters.length)
}

function isComparison(name: string): boolean {
  return name === '==' || name === '!=' || name === '<' || name === '<=' || name === '>' || name === '>='
}

export function literal(value: Value, origin: Span): LiteralExpr {
  return { kind: 'literal', type: typeOfLiteral(value), origin, value }
}

function nothing(origin: Span): LiteralExpr {
  return { kind: 'literal', type: 'any', origin, value: null }
}

function isLiteral(expr: Expr): boolean {
  return expr.kind === 'literal'
}

function typeOfLiteral(value: Value): ValueType {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int' : 'float'
  if (value instanceof DateTime) return 'datetime'
  if (value instanceof Duration) return 'duration'
  return Array.isArray(value) ? 'array' : 'object'
}

function literalValue(value: LiteralValue): Value {
  switch (value.type) {
    case 'null':
      return null
    case 'int':
      return value.value >= -9007199254740991n && value.value <= 9007199254740991n ? Number(value.value) : value.value
    case 'duration':
      return new Duration(value.ns)
    case 'datetime':
      return new DateTime(value.micros, value.nanos)
    default:
      return value.value
  }
}

const NUMBERS: ReadonlySet<ValueType> = new Set<ValueType>(['int', 'float', 'number'])

export function commonType(exprs: readonly Expr[]): ValueType {
  return unified(exprs.map(expr => expr.type))
}

/** The narrowest type that holds values of all of these. */
export function unified(all: readonly ValueType[]): ValueType {
  const types = new Set(all.filter(type => type !== 'null'))
  if (types.size === 0) return 'null'
  if (types.size === 1) return [...types][0]!
  return [...types].every(type => NUMBERS.has(type)) ? 'number' : 'any'
}

/** What the members of a list are, as far as it can be said before seeing data. */
export function membersOf(list: Expr | undefined): ValueType {
  if (list?.kind === 'literal' && Array.isArray(list.value)) {
    const types = new Set((list.value as readonly Value[]).map(typeOfLiteral))
    // A null among them may be asked about too, so such a list says nothing.
    return types.size === 1 && !types.has('null') ? [...types][0]! : 'any'
  }
  if (list?.kind !== 'call') return 'any'
  const { members } = list.function
  if (members === 'same') return membersOf(list.args[0])
  return members === 'body' ? (list.args[1]?.type ?? 'any') : (members ?? 'any')
}

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map(name => `'${name}'`)
  const rest = names.length - shown.length
  return shown.length === 0 ? 'none' : shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
