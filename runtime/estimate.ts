/** What a scan would read, from statistics alone: the figures of `explain` without running anything. */

import type { BlockReader, PartReader, Snapshot } from '../storage/index.ts'
import type { ScanPredicate } from '../storage/predicate.ts'
import { factsOfBlock } from './block-facts.ts'
import { inputsOf, type OperatorSpec, type ScanSpec } from './program.ts'

export interface Estimate {
  partsTotal: number
  partsRead: number
  partsByTime: number
  partsByIndex: number
  partsByPlan: number
  blocksTotal: number
  blocksRead: number
  blocksAnswered: number
  blocksByTime: number
  blocksByZoneMap: number
  blocksByTokenFilter: number
  rows: number
  bytes: number
}

interface PlacedScan {
  readonly spec: ScanSpec
  /** What stands right above it. */
  readonly above: OperatorSpec | null
}

function placedScans(spec: OperatorSpec, above: OperatorSpec | null): PlacedScan[] {
  return spec.op === 'scan' ? [{ spec, above }] : inputsOf(spec).flatMap(input => placedScans(input, spec))
}

function isAnswered(above: OperatorSpec | null, spec: ScanSpec, part: PartReader, block: BlockReader): boolean {
  if (above?.op !== 'aggregate' || above.statistics === null || !passesWhole(spec, block)) return false
  return factsOfBlock(above.keys, above.statistics.facts, part, block) !== null
}

/** All scans of a plan together; of lookup tables nothing is estimated. Complexity O(blocks × conjuncts); decodes nothing. */
export function estimateScans(root: OperatorSpec, snapshot: Snapshot): Estimate {
  const estimate: Estimate = {
    partsTotal: 0,
    partsRead: 0,
    partsByTime: 0,
    partsByIndex: 0,
    partsByPlan: 0,
    blocksTotal: 0,
    blocksRead: 0,
    blocksAnswered: 0,
    blocksByTime: 0,
    blocksByZoneMap: 0,
    blocksByTokenFilter: 0,
    rows: 0,
    bytes: 0,
  }
  for (const scan of placedScans(root, null)) if (scan.spec.lookup === null) addScan(estimate, scan, snapshot)
  return estimate
}

function addScan(estimate: Estimate, { spec, above }: PlacedScan, snapshot: Snapshot): void {
  estimate.partsTotal += snapshot.parts.length
  for (const part of snapshot.parts) {
    estimate.blocksTotal += part.blockCount
    if (!spec.indexes.includes(part.index)) {
      estimate.partsByIndex++
      continue
    }
    if (spec.nothing !== null) {
      estimate.partsByPlan++
      continue
    }
    const fields = spec.fields ?? part.fields.map(field => field.name)
    let readBlocks = 0
    let outsideTime = 0
    for (let index = 0; index < part.blockCount; index++) {
      const block = part.block(index)
      if (block.verdictTime(spec.time) === 'none') {
        outsideTime++
        continue
      }
      const skippedBy = skipReason(spec, block)
      if (skippedBy !== null) {
        estimate[skippedBy]++
        continue
      }
      if (isAnswered(above, spec, part, block)) {
        estimate.blocksAnswered++
        continue
      }
      readBlocks++
      estimate.rows += block.rowCount
      for (const field of fields) estimate.bytes += block.columnBytes(field)
    }
    if (outsideTime === part.blockCount) estimate.partsByTime++
    else estimate.blocksByTime += outsideTime
    if (readBlocks > 0) estimate.partsRead++
    estimate.blocksRead += readBlocks
  }
}

function skipReason(spec: ScanSpec, block: BlockReader): 'blocksByZoneMap' | 'blocksByTokenFilter' | null {
  for (const { pushed } of spec.conjuncts) {
    if (pushed === null || block.verdict(pushed) !== 'none') continue
    return readsTokens(pushed) ? 'blocksByTokenFilter' : 'blocksByZoneMap'
  }
  return null
}

export function readsTokens(predicate: ScanPredicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.of.some(readsTokens)
  return predicate.kind === 'tokens'
}

/** Does every row of the block pass, as its statistics alone show? */
export function passesWhole({ time, conjuncts }: ScanSpec, block: BlockReader): boolean {
  if (block.verdictTime(time) !== 'all') return false
  return conjuncts.every(({ pushed, isExact }) => pushed !== null && isExact && block.verdict(pushed) === 'all')
}
