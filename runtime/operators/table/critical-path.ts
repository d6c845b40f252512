/**
 * The critical path of a tree: walked from the end of its root backwards, it is in the call that ended last, before that one began in
 * the call that ended last by then, and in between in the span itself. Calls that were still running when a later call on the path
 * began did not hold anybody up.
 */
import type { TreeNode } from './trees.ts'

/** How long each span of the path was waited for itself; spans that are not on it are not in the map. */
export function criticalTimes(root: TreeNode): Map<TreeNode, number> {
  const times = new Map<TreeNode, number>()
  if (endOf(root) === null) return times
  const open: { readonly node: TreeNode; readonly from: number; readonly until: number }[] = [
    { node: root, from: root.startNs!, until: endOf(root)! },
  ]
  while (open.length > 0) {
    const { node, from, until } = open.pop()!
    let at = until
    let own = 0
    let isFirst = true
    for (const call of callsByEnd(node)) {
      const start = Math.max(call.startNs!, from)
      const end = endOf(call)!
      // What goes on after its caller counts up to the caller's end; later in the walk it must have ended before.
      if (start >= at || (end > at && !isFirst)) continue
      const callEnd = Math.min(end, at)
      own += at - callEnd
      open.push({ node: call, from: start, until: callEnd })
      at = start
      isFirst = false
    }
    times.set(node, own + Math.max(0, at - from))
  }
  return times
}

function endOf({ startNs, span }: TreeNode): number | null {
  return startNs === null || span.tookNs === null ? null : startNs + span.tookNs
}

/** The last to end first; of those the last to begin. */
function callsByEnd({ children }: TreeNode): TreeNode[] {
  return children
    .filter(child => endOf(child) !== null)
    .sort((a, b) => endOf(b)! - endOf(a)! || b.startNs! - a.startNs!)
}
