/** What several threads measured, as one profile: counts and times add up; `durationNs` of an operator is then time of all threads. */
import type { KernelProfile, OperatorProfile, Profile, TableProfile } from '../profile.ts'

/** @param operator  the aggregation that the other thread ran, in `into` */
export function addProfile(into: Profile, operator: OperatorProfile, from: Profile): void {
  const scan = into.scan as unknown as Record<string, number>
  for (const [name, count] of Object.entries(from.scan)) scan[name] = (scan[name] ?? 0) + count
  // Threads read blocks of the same parts.
  into.scan.partsRead = Math.min(into.scan.partsRead, into.scan.partsTotal)
  into.compile.kernels += from.compile.kernels
  into.compile.cached += from.compile.cached
  into.compile.durationNs += from.compile.durationNs
  for (const table of from.tables) addTable(into.tables, table)
  for (const [counter, count] of from.counters) into.counters.set(counter, (into.counters.get(counter) ?? 0) + count)
  for (const kernel of from.kernels) addKernel(into.kernels, kernel)
  if (from.root !== null) addOperators(operator, from.root)
}

function addKernel(into: KernelProfile[], kernel: KernelProfile): void {
  const same = into.find(({ name, shapes }) => name === kernel.name && shapes === kernel.shapes)
  if (same === undefined) {
    into.push(kernel)
    return
  }
  same.calls += kernel.calls
  same.rows += kernel.rows
  same.durationNs += kernel.durationNs
  same.gaveUp += kernel.gaveUp
}

function addTable(into: TableProfile[], table: TableProfile): void {
  const same = into.find(({ expression }) => expression === table.expression)
  if (same === undefined) into.push(table)
  else same.values += table.values
}

/** From the aggregation down. */
function addOperators(into: OperatorProfile, from: OperatorProfile): void {
  const ours = chainOf(into)
  for (const [index, theirs] of chainOf(from).entries()) {
    const operator = ours[index]
    if (operator === undefined) return
    operator.rowsIn += theirs.rowsIn
    operator.rowsOut += theirs.rowsOut
    operator.durationNs += theirs.durationNs
    operator.decodeNs += theirs.decodeNs
    operator.memoryBytes += theirs.memoryBytes
  }
}

function chainOf(root: OperatorProfile): OperatorProfile[] {
  const chain = [root]
  for (let [child] = root.children; child !== undefined; [child] = child.children) chain.push(child)
  return chain
}
