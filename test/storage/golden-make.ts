/** `node dist/test/storage/golden-make.js <name>`: writes the golden part of that name with the writer as it is now. Names are never used twice. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { openPart } from '../../storage/part/read.ts'
import { writePart } from '../../storage/part/write.ts'
import { GOLDEN_DIRECTORY, goldenBlocks, textOfPart } from './golden-blocks.ts'
import { memoryFilesystem } from './part-support.ts'

const name = process.argv[2]
if (process.env.NODE_TEST_CONTEXT === undefined && name !== undefined) {
  const file = join(GOLDEN_DIRECTORY, `${name}.part`)
  if (existsSync(file)) throw new Error(`${file} is golden: choose another name`)
  const filesystem = memoryFilesystem()
  writePart(filesystem, '/golden', { id: name, index: 'golden', blocks: goldenBlocks(), fsync: false })
  const path = `/golden/${name}.part`
  const part = openPart(filesystem, path, createChunkCache(1 << 24))
  writeFileSync(file, filesystem.files.get(path)!)
  writeFileSync(join(GOLDEN_DIRECTORY, `${name}.txt`), textOfPart(part))
  part.close()
}
