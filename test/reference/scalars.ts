/** What a scalar function means, by the registry: its helper, after the null rule its descriptor states. */
import { FUNCTIONS } from '../../compiler/functions/index.ts'
import { HELPERS } from '../../runtime/helpers/index.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import type { CallScalar } from './expressions.ts'
import { isAbsent } from './row.ts'

type Helper = (...args: readonly Value[]) => Value

function helperOf(name: string): Helper {
  const helper = (HELPERS as Readonly<Record<string, unknown>>)[name]
  if (typeof helper !== 'function') throw new Error(`no helper ${name}`)
  return helper as Helper
}

export function scalarsAt(nowMicros: number): CallScalar {
  return (name, args, strict) => {
    if (name === 'now') return new DateTime(nowMicros)
    const fn = FUNCTIONS.scalars.get(name)
    if (fn === undefined) throw new Error(`no function ${name}`)
    if (fn.nulls === 'propagate' && args.some(isAbsent)) return null
    const helper = helperOf(strict ? (fn.strictHelper ?? fn.helper) : fn.helper)
    return helper(...args)
  }
}
