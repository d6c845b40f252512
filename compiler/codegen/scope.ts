/** Names of one kernel: readable (`http.status` becomes `http_status`), unique, never a reserved word or one of the kernel's own. */

const RESERVED = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'implements import in instanceof interface let new null package private protected public return static super switch this ' +
    'throw true try typeof var void while with yield await async of arguments eval undefined NaN Infinity Math Number String Array ' +
    // Names every kernel uses for its own parameters and loop.
    'rt k columns rowCount selection selectedCount out count keys groups state rowOrderBase i n slot group slots into from mapping groupOf charge j'
  ).split(' '),
)

export class Scope {
  readonly #used = new Map<string, number>()

  /** `fresh('status.code')` is `status_code`; asked again, `status_code_2`. */
  fresh(hint: string): string {
    let base =
      hint
        .replace(/[^A-Za-z0-9_]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, 40) || 'v'
    if (/^[0-9]/.test(base)) base = `_${base}`
    // `k3` is how constants are named.
    if (RESERVED.has(base) || /^k\d+$/.test(base)) base = `${base}_`
    let times = this.#used.get(base) ?? 0
    let name: string
    do {
      times++
      name = times === 1 ? base : `${base}_${times}`
    } while (times > 1 && this.#used.has(name))
    this.#used.set(base, times)
    if (name !== base) this.#used.set(name, 1)
    return name
  }
}
