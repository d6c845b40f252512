/** `quern explain`: the plan as text, every pass, the generated JavaScript, or the whole explanation as JSON. */
import type { Explanation } from '../../engine.ts'
import { request } from '../client.ts'
import { defaultServer } from '../data-home.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { type Hint, hintLine } from '../hints.ts'
import { stdinIsPiped } from '../lines.ts'
import { lookupsOf, refuseLookups } from '../lookups.ts'
import { createMemoryEngine } from '../memory-engine.ts'
import { openData } from '../open-data.ts'
import { refuseSeveralSources, type SourceOptions } from '../source-options.ts'
import { teeFile } from '../tee-file.ts'

export interface ExplainCommandOptions extends SourceOptions {
  readonly analyze?: boolean
  readonly passes?: boolean
  readonly js?: boolean
  readonly json?: boolean
}

export async function explain(text: string, options: ExplainCommandOptions): Promise<void> {
  refuseSeveralSources(options)
  const explanation = await explanationFor(text, options)
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(explanation, null, 2)}\n`)
    if (!explanation.is_valid) throw new CommandError(EXIT.queryParse, '')
    return
  }
  if (!explanation.is_valid) {
    const errors = (explanation.errors ?? []) as readonly { readonly frame: string; readonly fix?: string }[]
    const fix = errors[0]?.fix === undefined ? '' : `\ntry: ${errors[0].fix}`
    throw new CommandError(EXIT.queryParse, errors.map(e => e.frame).join('\n') + fix)
  }
  process.stdout.write(`${sections(explanation, options).join('\n\n')}\n`)
}

function sections(explanation: Explanation, options: ExplainCommandOptions): string[] {
  const all = [`${explanation.query}`]
  const rewrites = explanation.rewrites as readonly { readonly before: string; readonly after: string }[]
  if (rewrites.length > 0) all.push(rewrites.map(r => `${r.before}\n  is short for ${r.after}`).join('\n'))
  if (options.passes === true) {
    const passes = explanation.passes as readonly Pass[]
    all.push(...passes.map(passText))
  }
  all.push(`${explanation.text}`)
  if (options.js === true) {
    const kernels = explanation.js as readonly { readonly kernel: string; readonly source: string }[]
    for (const { kernel, source } of kernels) all.push(`── ${kernel}\n${source.trimEnd()}`)
    if (kernels.length === 0) all.push('no kernel ran: there was no block to specialise one to')
  }
  const hints = explanation.hints as readonly Hint[]
  if (hints.length > 0) all.push(hints.map(hintLine).join('\n'))
  return all
}

async function explanationFor(text: string, options: ExplainCommandOptions): Promise<Explanation> {
  const { from, to, analyze, passes, js } = options
  const asked = {
    ...(from && { from }),
    ...(to && { to }),
    ...(analyze && { analyze }),
    ...(passes && { passes }),
    ...(js && { js }),
  }
  const isPiped = options.server === undefined && stdinIsPiped()
  if (options.data !== undefined || options.file !== undefined || isPiped) {
    const lookups = lookupsOf(options.lookup)
    const engine =
      options.data !== undefined
        ? await openData(options.data, { lookups })
        : await createMemoryEngine(options.file ?? [null], { ...options, lookups })
    try {
      return await engine.explain(text, { ...asked, openFile: teeFile })
    } finally {
      await engine.close()
    }
  }
  refuseLookups(options.lookup)
  const parameters = new URLSearchParams({ q: text })
  for (const [name, value] of Object.entries(asked)) parameters.set(name, String(value))
  const response = await request(
    `/api/v1/query/explain?${parameters}`,
    {},
    { server: options.server ?? defaultServer(), token: options.token },
  )
  const { data } = (await response.json()) as { data: Explanation }
  return data
}

interface Pass {
  readonly name: string
  readonly text: string | null
  readonly summary?: string
  readonly changes?: readonly string[]
  readonly notes?: readonly string[]
}

/** Of a rule what it changed; of the other passes what they made. */
function passText({ name, text, summary, changes, notes }: Pass): string {
  if (text === null) return `── ${name}: unchanged`
  if (changes === undefined) return `── ${name}\n${text}`
  return [`── ${name}: ${summary}`, ...changes, ...(notes ?? []).map(note => `  (${note})`)].join('\n')
}
