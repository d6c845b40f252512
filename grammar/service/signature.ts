/** Which function or stage is being written at the cursor, and which of its parameters. */
import { STAGE_SYNTAX } from '../stages/index.ts'
import { functionNamed, signatureText } from './functions.ts'
import { functionDocumentation } from './item.ts'
import type { FunctionKnowledge, Knowledge } from './knowledge.ts'
import { placesAt } from './site.ts'

export interface Signature {
  /** `round(x, [digits])`, or the form of a stage. */
  readonly label: string
  readonly documentation: string
  readonly parameters: readonly { readonly label: string; readonly documentation: string }[]
  /** The parameter at the cursor; null behind the last one, in the `where` of an aggregate, and for stages. */
  readonly active: number | null
}

/** Null where neither is being written. */
export function signatureAt(text: string, offset: number, knowledge: Knowledge): Signature | null {
  const at = Math.max(0, Math.min(offset, text.length))
  const [first, ...rest] = placesAt(text, at)
  if (first === undefined) return null
  const place = rest.reduce((earliest, each) => (each.start < earliest.start ? each : earliest), first)
  const call = place.calls.at(-1)
  if (call === undefined) return place.stage === null ? null : stageSignature(place.stage, knowledge)
  const fn = functionNamed(knowledge, call.name)
  if (fn === null) return null
  return {
    label: signatureText(fn, call.name),
    documentation: functionDocumentation(fn),
    parameters: fn.parameters.map(({ name, doc }) => ({ label: name, documentation: doc })),
    active: call.inWhere ? null : activeParameter(fn, call.argument),
  }
}

function activeParameter(fn: FunctionKnowledge, argument: number): number | null {
  const last = fn.parameters.length - 1
  if (argument <= last) return argument
  return fn.parameters[last]?.variadic === true ? last : null
}

function stageSignature(kind: keyof typeof STAGE_SYNTAX, knowledge: Knowledge): Signature {
  const { form, summary } = STAGE_SYNTAX[kind]
  const known = knowledge.language.stages.find(stage => stage.name === kind)
  return { label: form, documentation: known?.documentation ?? summary, parameters: [], active: null }
}
