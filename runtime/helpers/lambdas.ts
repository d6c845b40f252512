/**
 * What `any all filter map` mean: the list, and the body of the lambda as a function. Generated code writes the body into a loop of
 * its own instead (`ScalarFunction.loop`); these are what it is held against. A condition that is null counts as not true.
 */
import type { Value } from '../../storage/value.ts'

export type Lambda = (member: Value) => Value

function overList<T extends Value>(
  apply: (members: readonly Value[], body: Lambda) => T,
): (list: Value, body: Lambda) => T | null {
  return (list, body) => (Array.isArray(list) ? apply(list as readonly Value[], body) : null)
}

export const LAMBDA_HELPERS = {
  anyMember: overList((members, body) => members.some(member => body(member) === true)),
  allMembers: overList((members, body) => members.every(member => body(member) === true)),
  filterMembers: overList((members, body) => members.filter(member => body(member) === true)),
  mapMembers: overList((members, body) => members.map(member => body(member) ?? null)),
}
