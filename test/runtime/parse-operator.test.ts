/** What parse makes and what it leaves alone, seen in the vectors: dictionaries stay dictionaries, and what nobody reads is not made. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Batch } from '../../runtime/batch.ts'
import { batchOf } from '../../runtime/column-batch.ts'
import { valueAt } from '../../runtime/helpers/vectors.ts'
import type { Operator, RunContext } from '../../runtime/operators/operator.ts'
import { ParseOperator } from '../../runtime/operators/parse.ts'
import type { ParseSpec } from '../../runtime/program.ts'
import type { Value } from '../../storage/value.ts'
import type { Dictionary, DictVector, Vector } from '../../storage/vector.ts'

const LINE = '10.0.0.1 - - [01/Jun/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512'

function specOf(more: Partial<ParseSpec>): ParseSpec {
  return {
    ...{ op: 'parse', origin: { start: 0, end: 0 }, label: 'parse', input: null as never },
    ...{ format: 'clf', pattern: null, options: {}, alternatives: [], from: 'line', outputs: null },
    ...{ prefix: '', onError: 'propagate', demanded: null },
    ...more,
  }
}

/** Pushes batches through one operator and gives what comes out, and what was counted. */
function run(
  spec: ParseSpec,
  batches: readonly Batch[],
): { readonly out: Batch[]; readonly counts: Map<string, number> } {
  const out: Batch[] = []
  const counts = new Map<string, number>()
  const next: Operator = { push: batch => void out.push(batch), finish: () => {}, isDone: false }
  const count = (name: string, by = 1): void => void counts.set(name, (counts.get(name) ?? 0) + by)
  const operator = new ParseOperator(spec, { count } as unknown as RunContext, next)
  for (const batch of batches) operator.push(batch)
  return { out, counts }
}

function dictBatch(codes: readonly number[], dictionary: Dictionary, more: readonly [string, Vector][] = []): Batch {
  const line: DictVector = { kind: 'dict', rowCount: codes.length, codes: Uint8Array.from(codes), dictionary }
  return batchOf(new Map<string, Vector>([['line', line], ...more]), codes.length)
}

function valuesOf(vector: Vector): Value[] {
  return Array.from({ length: vector.rowCount }, (_, row) => valueAt(vector, row))
}

describe('parse over a dictionary', () => {
  const dictionary: Dictionary = { values: [LINE, 'nothing', undefined, LINE.replace('200', '404')] }

  it('gives dictionaries with the same codes, one for all blocks', () => {
    const { out, counts } = run(specOf({}), [
      dictBatch([0, 0, 3, 1, 2], dictionary),
      dictBatch([3, 3, 3, 0], dictionary),
    ])
    const [first, second] = out.map(batch => batch.column('status'))
    assert.ok(first?.kind === 'dict' && second?.kind === 'dict')
    assert.equal(first.dictionary, second.dictionary)
    assert.equal(first.dictionary.values.length, dictionary.values.length)
    assert.deepEqual(valuesOf(first), [200, 200, 404, undefined, undefined])
    assert.deepEqual(valuesOf(second), [404, 404, 404, 200])
    assert.equal(counts.get('parse:clf'), 1)
  })

  it('keeps what the event has, and counts it', () => {
    const status: Vector = { kind: 'any', rowCount: 3, values: ['mine', null, undefined] }
    const { out, counts } = run(specOf({}), [dictBatch([0, 0, 3], dictionary, [['status', status]])])
    assert.deepEqual(valuesOf(out[0]!.column('status')), ['mine', 200, 404])
    assert.equal(counts.get('kept:status'), 1)
  })

  it('gives right answers where rows are few and texts many', () => {
    const large: Dictionary = { values: Array.from({ length: 200 }, (_, i) => LINE.replace('512', String(i))) }
    const { out } = run(specOf({}), [dictBatch([7, 199], large), dictBatch(Array(60).fill(3), large)])
    assert.deepEqual(valuesOf(out[0]!.column('bytes')), [7, 199])
    assert.deepEqual(new Set(valuesOf(out[1]!.column('bytes'))), new Set([3]))
  })
})

describe('parse', () => {
  const text: Vector = { kind: 'any', rowCount: 2, values: [LINE, 'nothing'] }
  const batch = batchOf(new Map([['line', text]]), 2)

  it('makes the columns that are read and no others', () => {
    const { out } = run(specOf({ demanded: ['status'] }), [batch])
    assert.deepEqual(out[0]?.names, ['line', 'status'])
    assert.deepEqual(valuesOf(out[0]!.column('status')), [200, undefined])
  })

  it('tells failures only to who reads them', () => {
    assert.deepEqual(run(specOf({ demanded: ['status', '_error'] }), [batch]).out[0]?.names.slice(2), [
      '_error',
      '_error_detail',
    ])
  })

  it('leaves out failed rows, or the query', () => {
    const { out } = run(specOf({ onError: 'drop', demanded: ['status'] }), [batch])
    assert.equal(out[0]?.selectedCount, 1)
    assert.throws(() => run(specOf({ onError: 'strict' }), [batch]), /parse clf: it does not begin with a client/)
  })
})
