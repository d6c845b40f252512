/** docs/format.md against the code: every number of the layout stands in the page, and the page has none that the code has not. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ENCODING_NAMES } from '../../storage/part/encodings/index.ts'
import * as format from '../../storage/part/format.ts'
import { repositoryRoot } from '../repository.ts'

const PAGE = readFileSync(join(repositoryRoot(), 'docs/format.md'), 'utf8')

test('every encoding has its row, by its number and name', () => {
  const rows = [...PAGE.matchAll(/^\| (\d+) \| ([a-z ]+?)(?: \([^)]*\))? \|/gm)].map(([, number, name]) => [
    Number(number),
    name,
  ])
  const encodings = rows.filter(([, name]) => Object.values(ENCODING_NAMES).includes(String(name)))
  assert.deepEqual(
    Object.fromEntries(encodings),
    Object.fromEntries(Object.entries(ENCODING_NAMES).map(([number, name]) => [number, name])),
  )
})

test('codecs, kinds, versions and sizes are the ones of the code', () => {
  const said = (pattern: RegExp): string => pattern.exec(PAGE)?.[1] ?? `nothing for ${pattern}`
  const numbers = (text: string): string[] => [...text.matchAll(/(\d+) (\w+)/g)].map(([all]) => all)
  assert.deepEqual(
    numbers(said(/^\| 4 \| codec: (.*) \|$/m).toLowerCase()),
    Object.entries(format.CODEC_NAMES).map(([number, name]) => `${number} ${name}`),
  )
  assert.deepEqual(numbers(said(/^\| 6 \| kind: (.*) \|$/m)), [
    `${format.KIND_COLUMN} column`,
    `${format.KIND_DICTIONARY} dictionary`,
    `${format.KIND_FILTER} token`,
    `${format.KIND_INDEX} block`,
    `${format.KIND_FOOTER} footer`,
  ])
  assert.equal(said(/Version (\d+)\. Everything is little-endian/), String(format.FORMAT_VERSION))
  assert.equal(said(/^header {5}(\d+)/m), String(format.HEADER_BYTES))
  assert.equal(said(/^trailer +(\d+)/m), String(format.TRAILER_BYTES))
  assert.equal(said(/^\| (\d+)– \| `stored length` bytes/m), String(format.CHUNK_HEADER_BYTES))
  assert.equal(said(/of a token filter (\d) Bloom/), String(format.FILTER_BLOOM))
  assert.equal(said(/of a token filter \d Bloom, (\d) fuse/), String(format.FILTER_FUSE))
})

test('types and limits are the ones of the code', () => {
  const types: readonly [number, string][] = [
    [format.TYPE_INT, 'int'],
    [format.TYPE_FLOAT, 'float'],
    [format.TYPE_BIGINT, 'int beyond 2^53'],
    [format.TYPE_STRING, 'string'],
    [format.TYPE_BOOL, 'bool'],
    [format.TYPE_DATETIME, 'datetime'],
    [format.TYPE_DURATION, 'duration'],
    [format.TYPE_ARRAY, 'array'],
    [format.TYPE_OBJECT, 'object'],
  ]
  const sentence = types.map(([bit, name]) => `${bit} ${name}`).join(', ')
  assert.ok(PAGE.includes(`Types are bits: ${sentence}.`), sentence)
  assert.ok(PAGE.includes(`at most ${format.DICTIONARY_VALUES_MAX.toLocaleString('en')} values`))
  assert.ok(PAGE.includes(`Rows of a block: 2^${Math.log2(format.BLOCK_ROWS_MAX)}.`))
  assert.ok(PAGE.includes(`raw length, at most 2^${Math.log2(format.CHUNK_BYTES_MAX)}`))
  assert.ok(PAGE.includes(`varint count ≤ ${format.DISTINCT_VALUES_MAX}`))
  assert.ok(PAGE.includes(`while codes stay below ${format.CODE_BITMAP_VALUES_MAX.toLocaleString('en')}`))
})
