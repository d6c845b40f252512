/**
 * Names under a rename. An object takes its members along: `rename a as b` makes `b.c` of `a.c`, unless the same rename says where `a.c` goes. All
 * happen at once, so that `rename a as b, b as a` swaps; what had a new name, and its members, is replaced.
 */
export interface RenamePair {
  readonly from: string
  readonly to: string
}

/** The name that a field or a member has afterwards; null: something else has taken its name. */
export function newNameBy(pairs: readonly RenamePair[]): (path: string) => string | null {
  const toByFrom = new Map(pairs.map(({ from, to }) => [from, to]))
  const targets = new Set(toByFrom.values())
  return path => {
    const own = toByFrom.get(path)
    if (own !== undefined) return own
    const object = nearest(path, toByFrom)
    if (object !== null) {
      const moved = toByFrom.get(object)! + path.slice(object.length)
      return isTaken(moved, toByFrom.get(object)!, targets) ? null : moved
    }
    return targets.has(path) || [...targets].some(target => path.startsWith(`${target}.`)) ? null : path
  }
}

/** The name before of what is called so afterwards, if it is there: `newNameBy` has the last word. */
export function oldNameBy(pairs: readonly RenamePair[]): (path: string) => string {
  const fromByTo = new Map(pairs.map(({ from, to }) => [to, from]))
  return path => {
    const object = fromByTo.has(path) ? path : nearest(path, fromByTo)
    return object === null ? path : fromByTo.get(object)! + path.slice(object.length)
  }
}

/** Has a rename that says more put something at that path, or at an object around it, below `target`? */
function isTaken(path: string, target: string, targets: ReadonlySet<string>): boolean {
  return [...targets].some(other => other.startsWith(`${target}.`) && (other === path || path.startsWith(`${other}.`)))
}

/** The innermost object around the path that is among these names. */
function nearest(path: string, names: ReadonlyMap<string, string>): string | null {
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const outer = path.slice(0, dot)
    if (names.has(outer)) return outer
  }
  return null
}
