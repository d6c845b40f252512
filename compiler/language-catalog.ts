/** Everything the language has, as data: GET /catalog, docs and completion are made from it. */

import type { ParseFormat } from '../grammar/ast.ts'
import { DIAGNOSTIC_CODES } from '../grammar/diagnostics.ts'
import {
  FORMAT_SYNTAX,
  type FormatKnowledge,
  type FunctionKnowledge,
  type LanguageKnowledge,
  PARSE_FORMATS,
  STAGE_SYNTAX,
  type StageKnowledge,
} from '../grammar/index.ts'
import { FORMATS } from '../runtime/formats/index.ts'
import type { AggregateFunction, ScalarFunction, WindowFunction } from './functions/descriptor.ts'
import { AGGREGATES, SCALARS, WINDOWS } from './functions/index.ts'
import { RULES } from './optimise/index.ts'
import { STAGES } from './stages/index.ts'
import type { CoreKind, Stage } from './stages/stage.ts'

/** Also what completion knows of the language. */
export interface LanguageCatalog extends LanguageKnowledge {
  readonly rules: readonly { readonly name: string; readonly summary: string }[]
  readonly diagnostics: Readonly<Record<string, string>>
}

let catalog: LanguageCatalog | null = null

/** Made from the registries when it is first asked for. */
export function languageCatalog(): LanguageCatalog {
  catalog ??= makeCatalog()
  return catalog
}

function makeCatalog(): LanguageCatalog {
  return {
    stages: Object.values(STAGE_SYNTAX).map((syntax): StageKnowledge => {
      const stage = (STAGES as Readonly<Record<string, Stage<CoreKind> | undefined>>)[syntax.keyword]
      return {
        name: syntax.keyword,
        signature: syntax.form,
        documentation: stage?.doc.summary ?? syntax.summary,
        class: stage === undefined ? 'short form' : 'stage',
        streaming: stage === undefined ? false : stage.class === 'streams',
        examples: stage?.doc.examples ?? [],
      }
    }),
    functions: SCALARS.filter(fn => fn.notation === 'call').map(scalarEntry),
    operators: SCALARS.filter(fn => fn.notation !== 'call').map(scalarEntry),
    aggregates: AGGREGATES.map(aggregateEntry),
    windows: WINDOWS.map(windowEntry),
    parse_formats: PARSE_FORMATS.map(formatEntry),
    rules: RULES.map(({ name, summary }) => ({ name, summary })),
    diagnostics: DIAGNOSTIC_CODES,
  }
}

function formatEntry(name: ParseFormat): FormatKnowledge & Readonly<Record<string, unknown>> {
  const { summary, options, fields, otherFields, example } = FORMATS[name]
  const { text } = FORMAT_SYNTAX[name]
  return {
    name,
    signature: name === 'first_of' ? 'first_of(format, …)' : name + (text === null ? '' : ` ${text}`),
    documentation: summary,
    options: Object.entries(options).map(([option, documentation]) => ({ name: option, documentation })),
    fields,
    other_fields: otherFields,
    examples: [example],
  }
}

function signatureOf(fn: ScalarFunction | AggregateFunction | WindowFunction): string {
  const names = fn.parameters.map(
    p => (p.optional === true ? `[${p.name}]` : p.name) + (p.variadic === true ? ', …' : ''),
  )
  return `${fn.name}(${names.join(', ')})`
}

function scalarEntry(fn: ScalarFunction): FunctionKnowledge {
  return {
    name: fn.name,
    signature: fn.notation === 'infix' ? `a ${fn.name} b` : signatureOf(fn),
    class: fn.category,
    streaming: true,
    documentation: fn.doc.summary,
    parameters: fn.parameters,
    nulls: fn.nulls,
    examples: fn.doc.examples,
  }
}

function aggregateEntry(fn: AggregateFunction): FunctionKnowledge & Pick<AggregateFunction, 'merging'> {
  return {
    name: fn.name,
    signature: signatureOf(fn),
    class: 'aggregate',
    streaming: false,
    documentation: fn.doc.summary,
    parameters: fn.parameters,
    ...(fn.family && { family: { pattern: fn.family.pattern.source, members: fn.family.members } }),
    merging: fn.merging,
    examples: fn.doc.examples,
  }
}

function windowEntry(fn: WindowFunction): FunctionKnowledge {
  return {
    name: fn.name,
    signature: signatureOf(fn),
    class: 'window',
    streaming: !(fn.meaning.kind === 'offset' && fn.meaning.direction === 'after'),
    documentation: fn.doc.summary,
    parameters: fn.parameters,
    examples: fn.doc.examples,
  }
}
