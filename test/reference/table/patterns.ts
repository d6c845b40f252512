import type { AstPatterns } from '../../../grammar/ast.ts'
import { patternsField, patternsLimit } from '../../../grammar/stages/patterns.ts'
import { toText } from '../../../runtime/helpers/format-value.ts'
import { PATTERN_COLUMNS } from '../../../runtime/table.ts'
import { DateTime, type Value } from '../../../storage/value.ts'
import { mask } from '../patterns/mask.ts'
import { minePatterns } from '../patterns/mine.ts'
import { readField } from '../row.ts'
import type { TableReference } from './index.ts'

interface Line {
  readonly text: string
  readonly time: DateTime | null
}

/** Masked by regular expressions, mined from the lines themselves; without the rule for more wordings than a table holds. */
export const patterns: TableReference<AstPatterns> = (stage, { rows }, evaluate) => {
  const field = patternsField(stage)
  const lines = rows.flatMap((row): Line[] => {
    const text = toText(field === null ? readField(row, '_raw') : evaluate(field, row))
    const time = row.fields.get('_time')
    return text === null ? [] : [{ text, time: time instanceof DateTime ? time : null }]
  })
  const found = minePatterns(lines.map(({ text }) => mask(Buffer.from(text)))).map(({ pattern, lines: positions }) => {
    const own = positions.map(position => lines[position]!)
    const timed = own.flatMap(({ time }) => (time === null ? [] : [time])).sort(byTime)
    const first = own.toSorted(
      (a, b) => byTimeOrNever(a.time, b.time) || Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)),
    )
    return new Map<string, Value>([
      ['pattern', pattern],
      ['count', own.length],
      ['share', own.length / lines.length],
      ['first_seen', timed[0] ?? null],
      ['last_seen', timed.at(-1) ?? null],
      ['sample', first[0]!.text],
    ])
  })
  const ordered = found.sort(
    (a, b) => Number(b.get('count')) - Number(a.get('count')) || (a.get('pattern')! < b.get('pattern')! ? -1 : 1),
  )
  return {
    rows: ordered.slice(0, patternsLimit(stage)).map(fields => ({ fields, index: undefined })),
    columns: [...PATTERN_COLUMNS],
  }
}

function byTime(a: DateTime, b: DateTime): number {
  return a.micros - b.micros || a.nanos - b.nanos
}

function byTimeOrNever(a: DateTime | null, b: DateTime | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return byTime(a, b)
}
