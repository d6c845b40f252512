/** What a scan would read, from statistics alone: the figures of `explain` without running anything. */

import type { BlockReader, Snapshot } from '../storage/index.ts'
import type { ScanPredicate } from '../storage/predicate.ts'
import type { OperatorSpec, ScanSpec } from './program.ts'

export interface Estimate {
  partsTotal: number
  partsRead: number
  partsByTime: number
  partsByIndex: number
  partsByPlan: number
  blocksTotal: number
  blocksRead: number
  blocksByTime: number
  blocksByZoneMap: number
  blocksByTokenFilter: number
  rows: number
  bytes: number
}

/** The scan at the bottom of a linear plan. */
export function scanOf(spec: OperatorSpec): ScanSpec {
  let op = spec
  while (op.op !== 'scan') op = op.input
  return op
}

/** Complexity O(blocks × conjuncts); decodes nothing. */
export function estimateScan(spec: ScanSpec, snapshot: Snapshot): Estimate {
  const estimate: Estimate = {
    partsTotal: snapshot.parts.length,
    partsRead: 0,
    partsByTime: 0,
    partsByIndex: 0,
    partsByPlan: 0,
    blocksTotal: 0,
    blocksRead: 0,
    blocksByTime: 0,
    blocksByZoneMap: 0,
    blocksByTokenFilter: 0,
    rows: 0,
    bytes: 0,
  }
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
      readBlocks++
      estimate.rows += block.rowCount
      for (const field of fields) estimate.bytes += block.columnBytes(field)
    }
    if (outsideTime === part.blockCount) estimate.partsByTime++
    else estimate.blocksByTime += outsideTime
    if (readBlocks > 0) estimate.partsRead++
    estimate.blocksRead += readBlocks
  }
  return estimate
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
