/** `quern fmt`: the canonical text of a query, or every diagnostic. */
import { renderDiagnostic } from '../../grammar/diagnostics.ts'
import { parse, print } from '../../grammar/index.ts'
import { CommandError, EXIT } from '../exit-codes.ts'

export async function fmt(text: string | undefined): Promise<void> {
  const query = text ?? (await readStdin())
  const { source, query: tree, diagnostics } = parse(query)
  if (diagnostics.length > 0) {
    throw new CommandError(EXIT.queryParse, diagnostics.map(d => renderDiagnostic(source, d)).join('\n'))
  }
  process.stdout.write(`${print(tree)}\n`)
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
