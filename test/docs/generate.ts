/** `npm run docs`: writes the generated pages of docs/. The test beside it fails while they are out of date. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import { generatedPages } from './pages.ts'

for (const [path, text] of await generatedPages()) {
  writeFileSync(join(repositoryRoot(), path), text)
  process.stdout.write(`${path}: ${text.split('\n').length - 1} lines\n`)
}
