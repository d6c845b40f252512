import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { test } from 'node:test'
import { openCatalog } from '../../storage/catalog/catalog.ts'
import { createMemoryDocuments, openDocuments } from '../../storage/catalog/documents.ts'
import { damageOf } from '../../storage/catalog/environment.ts'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import { PartIds } from '../../storage/ingest/part-id.ts'
import { NO_LINEAGE, type PartDescription } from '../../storage/part/columns.ts'
import { openStore } from '../../storage/store.ts'
import { range, withDirectory } from './store-support.ts'

function describe(id: string): PartDescription {
  const size = { rowCount: 1, blockCount: 1, sizeBytes: 3, rawBytes: 4 }
  return { id, index: 'main', minMicros: 1, maxMicros: 2, ...size, ...NO_LINEAGE }
}

test('the catalog gives back its parts in order of creation, and the next sequence number', () =>
  withDirectory(async directory => {
    const catalog = await openCatalog(NODE_FILESYSTEM, `${directory}/catalog`)
    assert.deepEqual(catalog.parts(), [])
    assert.equal(catalog.nextSequence(), null)
    catalog.note({ published: ['c', 'a', 'b'].map(describe), nextSequence: 7 })
    await catalog.flush()
    catalog.note({ dropped: ['b'] })
    await catalog.flush()
    await catalog.close()
    const again = await openCatalog(NODE_FILESYSTEM, `${directory}/catalog`)
    assert.deepEqual(again.parts(), ['a', 'c'].map(describe))
    assert.equal(again.nextSequence(), 7)
    await again.close()
  }))

test('a clean close seals the environment; one that was not closed cleanly is probed and found sound', () =>
  withDirectory(async directory => {
    const catalog = await openCatalog(NODE_FILESYSTEM, `${directory}/catalog`)
    catalog.note({ published: [describe('a')] })
    await catalog.flush()
    await catalog.close()
    const seal = `${directory}/catalog/SEAL`
    assert.ok(fs.existsSync(seal))
    fs.rmSync(seal)
    assert.equal(await damageOf(`${directory}/catalog`), null)
    const again = await openCatalog(NODE_FILESYSTEM, `${directory}/catalog`)
    assert.deepEqual(again.parts(), [describe('a')])
    await again.close()
  }))

test('documents are kept by collection and id, and survive a restart', () =>
  withDirectory(async directory => {
    const aside = () => `${directory}/aside`
    const documents = await openDocuments(NODE_FILESYSTEM, `${directory}/documents`, aside)
    await documents.put('queries', 'b', { text: 'where x' })
    await documents.put('queries', 'a', [1, null, 'x'])
    await documents.put('keys', 'a', 'k')
    await documents.put('queriesX', 'a', 1)
    assert.equal(await documents.delete('keys', 'nothing'), false)
    assert.equal(await documents.delete('keys', 'a'), true)
    await documents.close()
    const again = await openDocuments(NODE_FILESYSTEM, `${directory}/documents`, aside)
    assert.equal(again.damage, null)
    assert.equal(again.get('keys', 'a'), undefined)
    assert.deepEqual(again.get('queries', 'b'), { text: 'where x' })
    assert.deepEqual(again.list('queries'), [
      { id: 'a', document: [1, null, 'x'] },
      { id: 'b', document: { text: 'where x' } },
    ])
    await again.close()
  }))

test('documents in memory answer as those on disk do, and share no object with their caller', async () => {
  const documents = createMemoryDocuments()
  const document = { text: 'a' }
  await documents.put('queries', 'b', document)
  await documents.put('queries', 'a', 1)
  document.text = 'changed'
  assert.deepEqual(documents.get('queries', 'b'), { text: 'a' })
  assert.deepEqual(
    documents.list('queries').map(({ id }) => id),
    ['a', 'b'],
  )
  assert.equal(await documents.delete('queries', 'a'), true)
  assert.equal(await documents.delete('queries', 'a'), false)
  assert.equal(documents.get('queries', 'a'), undefined)
  assert.deepEqual(documents.list('none'), [])
})

test('damaged documents are moved aside and reported, never deleted, and the store opens', () =>
  withDirectory(async directory => {
    const first = await openStore({ directory })
    await first.documents.put('queries', 'a', 1)
    await first.close()
    fs.writeFileSync(`${directory}/documents/data.mdb`, 'garbage')
    const store = await openStore({ directory })
    const [report] = store.status().quarantined
    assert.equal(report?.part, 'documents')
    assert.match(report?.reason ?? '', /moved to/)
    assert.ok(fs.readdirSync(`${directory}/quarantine`).some(name => name.startsWith('documents-')))
    assert.deepEqual(store.documents.list('queries'), [])
    await store.documents.put('queries', 'b', 2)
    await store.close()
  }))

test('part ids ascend, also when the clock stands still, is set back, or the store starts again', () => {
  let now = 1_767_312_000_000
  const ids = new PartIds(() => now, null)
  const made = range(0, 100).map(() => ids.next())
  now -= 60_000
  made.push(ids.next())
  const afterRestart = new PartIds(() => now, made.at(-1) ?? null)
  made.push(afterRestart.next(), afterRestart.next())
  assert.deepEqual(made, [...new Set(made)].sort())
  assert.equal(new Set(made.map(id => id.length)).size, 1)
})
