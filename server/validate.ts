/** Parameters and JSON bodies against the schemas of the route table, with messages that name the field and what would do. */
import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { RequestError } from './errors.ts'
import { nearest } from './near.ts'

/** The schemas are made by typebox: to prove each of them a schema, ajv would compile that of schemas, for more than all of theirs weigh. */
const OPTIONS = { allErrors: true, strict: false, meta: false, validateSchema: false } as const
/** Query strings hold text only, so `limit=5` becomes 5; a JSON body says what it means. */
const PARAMETERS = new Ajv({ ...OPTIONS, coerceTypes: true })
const BODIES = new Ajv(OPTIONS)

export type Check = (value: unknown) => void

/** The check changes the given object where it coerces. @throws {RequestError} VALIDATION_ERROR */
export function checkParameters(schema: TSchema): Check {
  return checkWith(PARAMETERS, schema, 'parameter')
}

/** @throws {RequestError} VALIDATION_ERROR */
export function checkBody(schema: TSchema): Check {
  return checkWith(BODIES, schema, 'field')
}

function checkWith(ajv: Ajv, schema: TSchema, noun: string): Check {
  const known = Object.keys((schema.properties as Record<string, unknown> | undefined) ?? {})
  // Most servers are asked a few routes of sixty.
  let validate: ValidateFunction | null = null
  return value => {
    validate ??= ajv.compile(schema)
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
