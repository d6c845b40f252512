/** Figures as a person reads them: one line a question, wrong answers loud. */
import type { LoadedEngine } from './load.ts'
import type { Measured, Spread } from './measure.ts'
import { DISK_MUST_REACH, LOAD_MUST_REACH } from './suite.ts'

const NAME_WIDTH = 46

export function heading(): string {
  return (
    `${'question'.padEnd(NAME_WIDTH)}${'Quern ms'.padStart(9)} ${'min–max'.padEnd(17)}${'DuckDB ms'.padStart(10)} ` +
    `${'min–max'.padEnd(17)}${'ratio'.padStart(8)}${'target'.padStart(8)}`
  )
}

export function line({ question, quern, duckdb, difference, failure }: Measured): string {
  const name = question.name.padEnd(NAME_WIDTH)
  if (failure !== null) return `${name}FAILED: ${failure}`
  const ratio = ratioOf(quern, duckdb)
  const warning = difference === null ? '' : `\n  !!! ANSWERS DIFFER: ${difference}`
  return `${name}${spread(quern, 9)}${spread(duckdb, 10)}${verdict(ratio, question.mustReach, true)}${warning}`
}

export function ratioOf(quern: Spread | null, duckdb: Spread | null): number | null {
  return quern === null || duckdb === null ? null : duckdb.median / quern.median
}

/** Loading and disk: figures of the load, which may have been another run's. */
export function loadLines(quern: LoadedEngine | null, duckdb: LoadedEngine | null, rows: number): string {
  const speed = (engine: LoadedEngine | null): string =>
    engine === null ? '–' : `${Math.round(rows / engine.ms)} k/s${engine.isFresh ? '' : ' (kept)'}`
  const size = (engine: LoadedEngine | null): string =>
    engine === null ? '–' : `${(engine.bytes / 1e6).toFixed(1)} MB`
  const hasBoth = quern !== null && duckdb !== null
  return [
    `${'load NDJSON'.padEnd(NAME_WIDTH)}${speed(quern).padEnd(27)}${speed(duckdb).padEnd(28)}` +
      verdict(hasBoth ? duckdb.ms / quern.ms : null, LOAD_MUST_REACH, true),
    `${'bytes on disk'.padEnd(NAME_WIDTH)}${size(quern).padEnd(27)}${size(duckdb).padEnd(28)}` +
      verdict(hasBoth ? quern.bytes / duckdb.bytes : null, DISK_MUST_REACH, false),
  ].join('\n')
}

/** What the ratios come to: the one figure that no single question can make or break. */
export function meanLine(measured: readonly Measured[], mustReach: number | null): string {
  const ratios = measured.flatMap(({ quern, duckdb }) => ratioOf(quern, duckdb) ?? [])
  if (ratios.length === 0) return ''
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
  const slower = ratios.filter(ratio => ratio < 1).length
  const name = `geometric mean of ${ratios.length}, ${slower} below 1×`.padEnd(NAME_WIDTH + 55)
  return `${name}${mustReach === null ? `${mean.toFixed(2)}×`.padStart(8) : verdict(mean, mustReach, true)}`
}

function verdict(ratio: number | null, target: number, moreIsBetter: boolean): string {
  if (ratio === null) return ''
  const isReached = moreIsBetter ? ratio >= target : ratio <= target
  const targetText = `${moreIsBetter ? '≥' : '≤'} ${target}×`
  return `${`${ratio.toFixed(2)}×`.padStart(8)}${targetText.padStart(8)}  ${isReached ? 'reached' : 'NOT REACHED'}`
}

function spread(times: Spread | null, width: number): string {
  if (times === null) return ''.padEnd(width + 18)
  const range = `${times.min.toFixed(1)}–${times.max.toFixed(1)}`
  return `${times.median.toFixed(1).padStart(width)} ${range.padEnd(17)}`
}
