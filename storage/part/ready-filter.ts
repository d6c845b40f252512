/**
 * The token filter of a block, made before the block is written, by whom that leaves waiting (`build/ahead.ts`): a third of what writing a block takes, and
 * nothing of it depends on the rest of the part. What the writer makes text of that was none here, it adds; a filter never lacks a token.
 */
import type { BlockColumns } from './columns.ts'
import type { FuseFilter } from './fuse-filter.ts'
import { addKnownTokens } from './rebuilt/known-tokens.ts'
import type { ThinColumn } from './thin.ts'
import type { TokenSet } from './token-filter.ts'

export interface ReadyFilter {
  /** All tokens of these are in it. */
  readonly columns: ReadonlySet<string>
  readonly filter: FuseFilter
  /** What it is made of, for who has to add some. */
  readonly hashes: Int32Array
}

/** Makes it a column at a time. @param tokens  empty, and empty again afterwards, even if it is given up half-way */
export function* makeFilterSteps(block: BlockColumns, tokens: TokenSet): Generator<void, ReadyFilter> {
  const columns = new Set<string>()
  const thin = new Map<string, ThinColumn>(block.thin ?? [])
  const texts = [...block.columns, ...Array.from(thin, ([name, { values }]) => [name, values] as const)]
  try {
    for (const [name, vector] of texts) {
      if (vector.kind !== 'text') continue
      tokens.addColumn(vector)
      columns.add(name)
      yield
    }
    if (block.raw != null) {
      const columnOf = (name: string) => thin.get(name) ?? block.columns.get(name) ?? null
      addKnownTokens(block.raw, { columnOf, isIndexed: name => columns.has(name) }, tokens)
      tokens.addColumn(block.raw.rest)
      columns.add('_raw')
      yield
    }
    const hashes = tokens.hashes()
    return { columns, hashes, filter: tokens.takeFilter(hashes) }
  } finally {
    tokens.clear()
  }
}
