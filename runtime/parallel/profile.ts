/** What several threads measured, as one profile: counts and times add up; `durationNs` of an operator is then time of all threads. */
import type { KernelProfile, OperatorProfile, Profile, TableProfile } from '../profile.ts'

export function addProfile(into: Profile, from: Profile): void {
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
  if (into.root !== null && from.root !== null) addOperators(into.root, from.root)
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

/** The other thread ran the lower end of the plan: from the aggregation down. */
function addOperators(into: OperatorProfile, from: OperatorProfile): void {
  const ours = downTo(into, chainOf(from).length)
  for (const [index, theirs] of chainOf(from).entries()) {
    const operator = ours[index]
    if (operator === undefined) return
    operator.rowsIn += theirs.rowsIn
    operator.durationNs += theirs.durationNs
    operator.memoryBytes += theirs.memoryBytes
  }
}

function chainOf(root: OperatorProfile): OperatorProfile[] {
  const chain = [root]
  for (let [child] = root.children; child !== undefined; [child] = child.children) chain.push(child)
  return chain
}

function downTo(root: OperatorProfile, count: number): OperatorProfile[] {
  return chainOf(root).slice(-count)
}
