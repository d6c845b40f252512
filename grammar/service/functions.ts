/** Functions by name, and names for functions. */
import type { FunctionKnowledge, Knowledge } from './knowledge.ts'

/** Scalar functions first; a member of a family (`p95`) is found by its pattern. */
export function functionNamed({ language }: Knowledge, name: string): FunctionKnowledge | null {
  const wanted = name.toLowerCase()
  const isNamed = (fn: FunctionKnowledge) =>
    fn.name === wanted || (fn.family !== undefined && new RegExp(fn.family.pattern).test(wanted))
  return [...language.functions, ...language.aggregates, ...language.windows].find(isNamed) ?? null
}

/** A member of a family goes by its own name: `p95(x)`. */
export function signatureText(fn: FunctionKnowledge, name: string): string {
  return fn.signature.startsWith(fn.name) ? name + fn.signature.slice(fn.name.length) : fn.signature
}
