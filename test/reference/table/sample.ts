import type { AstSample } from '../../../grammar/ast.ts'
import { sampleSeed } from '../../../grammar/stages/sample.ts'
import { scattered } from '../../../runtime/operators/table/sample.ts'
import type { TableReference } from './index.ts'

/** Which rows is the engine's to choose, so its hash is the definition; how many, and in which order, is computed here. */
export const sample: TableReference<AstSample> = (stage, { rows, columns }) => {
  const hashed = rows.map((row, position) => ({ row, position, hash: scattered(position, sampleSeed(stage)) }))
  if (stage.percent !== null) {
    const below = (stage.percent / 100) * 2 ** 32
    return { rows: hashed.filter(({ hash }) => hash < below).map(({ row }) => row), columns }
  }
  const drawn = hashed.toSorted((a, b) => a.hash - b.hash || a.position - b.position).slice(0, stage.count ?? 0)
  return { rows: drawn.toSorted((a, b) => a.position - b.position).map(({ row }) => row), columns }
}
