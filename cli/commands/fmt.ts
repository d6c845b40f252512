/** `quern fmt`: a query laid out, or every diagnostic. */
import { renderDiagnostic } from '../../grammar/diagnostics.ts'
import { format } from '../../grammar/index.ts'
import { CommandError, EXIT } from '../exit-codes.ts'

export async function fmt(text: string | undefined): Promise<void> {
  const query = text ?? (await readStdin())
  const formatted = format(query)
  if (formatted.diagnostics.length > 0) {
    const frames = formatted.diagnostics.map(diagnostic => renderDiagnostic({ text: query }, diagnostic))
    throw new CommandError(EXIT.queryParse, frames.join('\n'))
  }
  process.stdout.write(`${formatted.text}\n`)
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
