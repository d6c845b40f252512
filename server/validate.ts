/** Parameters and JSON bodies against the schemas of the route table, with messages that name the field and what would do. */
import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { RequestError } from './errors.ts'
import { nearest } from './near.ts'

/** Query strings hold text only, so `limit=5` becomes 5; a JSON body says what it means. */
const PARAMETERS = new Ajv({ coerceTypes: true, allErrors: true, strict: false })
const BODIES = new Ajv({ allErrors: true, strict: false })

export type Check = (value: unknown) => void

/** The check changes the given object where it coerces. @throws {RequestError} VALIDATION_ERROR */
export function checkParameters(schema: TSchema): Check {
  return checkWith(PARAMETERS.compile(schema), schema, 'parameter')
}

/** @throws {RequestError} VALIDATION_ERROR */
export function checkBody(schema: TSchema): Check {
  return checkWith(BODIES.compile(schema), schema, 'field')
}

function checkWith(validate: ValidateFunction, schema: TSchema, noun: string): Check {
  const known = Object.keys((schema.properties as Record<string, unknown> | undefined) ?? {})
  return value => {
    if (validate(value)) return
    const problems = validate.errors ?? []
    // An unknown name is the likeliest mistake and the others often follow from it.
    const first = problems.find(p => p.keyword === 'additionalProperties') ?? problems[0]
    if (first !== undefined) throw validationError(first, known, noun)
  }
}

function validationError(problem: ErrorObject, known: readonly string[], noun: string): RequestError {
  if (problem.keyword === 'additionalProperties') {
    const name = String(problem.params.additionalProperty)
    const near = nearest(name, known)
    return new RequestError('VALIDATION_ERROR', `${noun} ${name} is not accepted here`, {
      suggestion: near.length > 0 ? `did you mean ${near.join(' or ')}?` : `accepted are ${known.join(', ')}`,
    })
  }
  if (problem.keyword === 'required')
    return new RequestError('VALIDATION_ERROR', `${noun} ${problem.params.missingProperty} is missing`)
  const name = problem.instancePath.slice(1).replaceAll('/', '.')
  const allowed = problem.keyword === 'enum' ? `: ${(problem.params.allowedValues as unknown[]).join(', ')}` : ''
  const subject = name === '' ? 'the body' : `${noun} ${name}`
  return new RequestError('VALIDATION_ERROR', `${subject} ${problem.message ?? 'is not valid'}${allowed}`)
}
