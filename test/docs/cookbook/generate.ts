/** `npm run cookbook`: runs every entry over its log and writes docs/cookbook.md. Needs the logs; see data.ts for where they are looked for. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompileError } from '../../../engine.ts'
import { renderDiagnostic } from '../../../grammar/index.ts'
import { repositoryRoot } from '../../repository.ts'
import { dataDirectory, outputOf, withData } from './data.ts'
import { COOKBOOK } from './index.ts'
import { COOKBOOK_PAGE, cookbookPage } from './page.ts'

const directory = dataDirectory()
if (directory === null) throw new Error('the logs are not here: QUERN_DATA names the directory')
const outputs = new Map<string, string>()
for (const section of COOKBOOK) {
  await withData(directory, section, async engine => {
    for (const { title, query } of section.entries) {
      try {
        outputs.set(query, await outputOf(engine, query))
      } catch (error) {
        if (!(error instanceof CompileError)) throw error
        const frames = error.diagnostics.map(diagnostic => renderDiagnostic(error.source, diagnostic))
        throw new Error(`${title}\n${frames.join('\n')}`)
      }
    }
  })
  process.stdout.write(`${section.file}: ${section.entries.length} questions\n`)
}
writeFileSync(
  join(repositoryRoot(), COOKBOOK_PAGE),
  cookbookPage(COOKBOOK, (_, { query }) => outputs.get(query) ?? ''),
)
