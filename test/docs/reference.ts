/** docs/reference.md, made from the descriptors of stages, parse formats, aggregates, functions and operators. */
import type {
  AggregateExample,
  AggregateFunction,
  Category,
  MergeLaw,
  Parameter,
  ScalarFunction,
  WindowFunction,
} from '../../compiler/functions/descriptor.ts'
import { AGGREGATES, SCALARS, WINDOWS } from '../../compiler/functions/index.ts'
import { STAGES } from '../../compiler/stages/index.ts'
import type { CoreKind } from '../../compiler/stages/stage.ts'
import type { ParseFormat } from '../../grammar/ast.ts'
import { PARSE_FORMATS, STAGE_SYNTAX } from '../../grammar/index.ts'
import type { StageOption } from '../../grammar/stages/options.ts'
import { FORMATS } from '../../runtime/formats/index.ts'
import { SHORT_FORM_EXAMPLES, type ShortForm } from './examples.ts'
import { code, fenced, GENERATED_NOTE, table } from './markdown.ts'
import { expansionOf, type QueryExample } from './run-example.ts'

export function referencePage(): string {
  return [
    '# Reference',
    GENERATED_NOTE,
    'How the language works as a whole is in [language.md](language.md). This page lists its words. Input is one event per line;',
    'of event rows, `_time` and `_raw` are left out of the output.',
    '',
    contents(),
    '## Stages',
    '',
    'A stage that *streams* gives rows while it reads; one that *blocks* needs all its input first.',
    '',
    ...coreKinds().map(stageEntry),
    '## Short forms',
    '',
    'Each stands for other stages. `quern explain` shows the expansion of any query.',
    '',
    ...shortForms().map(shortFormEntry),
    '## Formats of parse',
    '',
    'Names are those the format itself has, in lower case where it does not insist; what many formats have is called the same in',
    'all: `timestamp`, `level`, `message`, `clientip`, `clientport`, `pid`, `method`, `request`, `status`, `bytes`. Times stay as',
    'they are written, with `datetime(timestamp)` or `strptime` to read them. A type of `any` is a number where the text is a',
    'canonical one (it prints as it was written), else text. `from f` reads another field than `_raw`.',
    '',
    ...PARSE_FORMATS.map(formatEntry),
    '## Aggregates',
    '',
    'They stand in `stats`, `eventstats` and `streamstats`. Null and missing arguments are skipped. Every aggregate takes a condition as its last argument:',
    '`avg(ms, where status == 200)`. *Merging* says what splitting the data does to the answer: *exact*, nothing; *rounding*, the',
    'last bits of a float; *sketch*, nothing beyond the error named; *none*, it cannot be made from parts.',
    '',
    ...AGGREGATES.map(aggregateEntry),
    '## Window functions',
    '',
    'They stand in `streamstats`, beside aggregates, and look at other rows of the group in the order they come.',
    '',
    ...WINDOWS.map(windowEntry),
    '## Functions',
    '',
    'One value per row. Unless said otherwise, the result is null when an argument is null or missing.',
    '',
    ...CATEGORIES.flatMap(([category, title]) => functionsOf(category, title)),
    '## Operators',
    '',
    'Loosest to tightest: `or` · `and` · `not` · `== != < <= > >= in between` · `??` · `+ -` · `* / %` · unary `-` · call, `.f`, `?.f`, `[i]`.',
    '',
    ...SCALARS.filter(fn => fn.notation !== 'call').map(operatorEntry),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
}

const CATEGORIES: readonly (readonly [Category, string])[] = [
  ['conversion', 'Conversion'],
  ['conditional', 'Conditions and absence'],
  ['string', 'Strings'],
  ['text', 'Searching text'],
  ['math', 'Mathematics'],
  ['time', 'Time'],
  ['hash', 'Hashes'],
  ['network', 'Network'],
  ['array', 'Arrays'],
  ['object', 'Objects'],
]

function contents(): string {
  const lines: [string, readonly string[]][] = [
    ['Stages', coreKinds()],
    ['Short forms', shortForms()],
    ['Formats of parse', PARSE_FORMATS],
    ['Aggregates', AGGREGATES.map(fn => fn.name)],
    ['Window functions', WINDOWS.map(fn => fn.name)],
    ...CATEGORIES.map(
      ([category, title]) => [title, callsOf(category).map(fn => fn.name)] satisfies [string, readonly string[]],
    ),
  ]
  return `${table(
    ['', ''],
    lines.map(([title, names]) => [title, names.map(code).join(' ')]),
  )}\n`
}

// ── Stages ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function coreKinds(): CoreKind[] {
  return Object.keys(STAGES) as CoreKind[]
}

function shortForms(): ShortForm[] {
  return Object.keys(SHORT_FORM_EXAMPLES) as ShortForm[]
}

function stageEntry(kind: CoreKind): string {
  const stage = STAGES[kind]
  const form = STAGE_SYNTAX[kind].form
  return section(
    `### ${kind}`,
    fenced('', form),
    `${stage.doc.summary} *${stage.class === 'streams' ? 'Streams' : 'Blocks'}; ${ORDER[stage.order]}; ${DISTRIBUTION[stage.distribution]}.*`,
    optionList(STAGE_SYNTAX[kind].options ?? []),
    ...stage.doc.examples.map(exampleBlocks),
  )
}

const ORDER = { keeps: 'keeps the order', sets: 'sets the order', loses: 'rows come in no order' }
const DISTRIBUTION = {
  'each-part': 'runs on every part alone',
  partial: 'runs on every part, then merges',
  merged: 'runs once, on all rows',
}

function optionList(options: readonly StageOption[]): string {
  return options
    .map(
      ({ name, value, doc }) =>
        `- ${code(`${name}=<${typeof value === 'string' ? value : value.join(' | ')}>`)}: ${doc}`,
    )
    .join('\n')
}

function shortFormEntry(kind: ShortForm): string {
  const { form, summary } = STAGE_SYNTAX[kind]
  const example = SHORT_FORM_EXAMPLES[kind]
  return section(
    `### ${kind}`,
    fenced('', form),
    summary,
    optionList(STAGE_SYNTAX[kind].options ?? []),
    exampleBlocks(example),
    `It stands for ${code(expansionOf(example.query, example.fragments))}.`,
  )
}

// ── Formats ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function formatEntry(name: ParseFormat): string {
  const { summary, options, fields, otherFields, example } = FORMATS[name]
  return section(
    `### ${name}`,
    summary,
    Object.entries(options)
      .map(([option, doc]) => `- ${code(option)}: ${doc}`)
      .join('\n'),
    fields.length === 0
      ? ''
      : table(
          ['field', 'type', ''],
          fields.map(field => [code(field.name), field.type, field.doc]),
        ),
    otherFields === null ? '' : `${fields.length === 0 ? 'Fields' : 'Further fields'}: ${otherFields}.`,
    exampleBlocks(example),
  )
}

// ── Functions ───────────────────────────────────────────────────────────────────────────────────────────────────────

function callsOf(category: Category): ScalarFunction[] {
  return SCALARS.filter(fn => fn.category === category && fn.notation === 'call')
}

function functionsOf(category: Category, title: string): string[] {
  return [`### ${title}`, '', ...callsOf(category).map(scalarEntry)]
}

function scalarEntry(fn: ScalarFunction): string {
  const notes = [
    fn.nulls === 'observe' && 'It is asked about nulls too.',
    fn.purity === 'per-query' && 'One value for the whole query.',
    fn.strictHelper !== undefined && `${code(`${fn.name}!(…)`)} fails the query with the row instead of giving null.`,
  ].filter(note => note !== false)
  return section(
    `#### ${fn.name}`,
    [code(signature(fn)), fn.doc.summary, ...notes].join(' · ').replace(' · ', ': '),
    parameterTable(fn.parameters),
    fenced('', fn.doc.examples.map(({ expression, result }) => `${expression}  →  ${result}`).join('\n')),
  ).replaceAll(' · ', ' ')
}

function operatorEntry(fn: ScalarFunction): string {
  const form = fn.notation === 'infix' ? `a ${fn.name} b` : '-x'
  return section(
    `### ${code(form)}`,
    fn.doc.summary,
    fenced('', fn.doc.examples.map(({ expression, result }) => `${expression}  →  ${result}`).join('\n')),
  )
}

function aggregateEntry(fn: AggregateFunction): string {
  return section(
    `### ${fn.name}`,
    `${code(signature(fn))}: ${fn.doc.summary} Merging: ${mergeText(fn.merging)}.`,
    parameterTable(fn.parameters),
    ...fn.doc.examples.map((example: AggregateExample) => exampleBlocks(example)),
  )
}

function windowEntry(fn: WindowFunction): string {
  return section(
    `### ${fn.name}`,
    `${code(signature(fn))}: ${fn.doc.summary}`,
    parameterTable(fn.parameters),
    ...fn.doc.examples.map((example: AggregateExample) => exampleBlocks(example)),
  )
}

function mergeText(law: MergeLaw): string {
  switch (law.law) {
    case 'exact':
    case 'rounding':
      return `*${law.law}*`
    case 'sketch':
      return `*sketch*, within ${law.relativeError * 100} %`
    case 'none':
      return `*none*: ${law.reason}`
  }
}

export function signature(fn: ScalarFunction | AggregateFunction | WindowFunction): string {
  const names = fn.parameters.map(
    p => (p.optional === true ? `[${p.name}]` : p.name) + (p.variadic === true ? ', …' : ''),
  )
  return `${fn.name}(${names.join(', ')})`
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  return parameters
    .map(p => {
      const kinds = [
        p.type,
        p.optional === true && 'optional',
        p.variadic === true && 'repeats',
        p.constant === true && 'constant',
        p.lambda === true && 'lambda',
      ]
      return `- ${code(p.name)} (${kinds.filter(kind => kind !== false).join(', ')}): ${p.doc}`
    })
    .join('\n')
}

// ── Parts ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function section(...parts: readonly string[]): string {
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

function exampleBlocks({ query, input, output, lookups = {}, fragments = {} }: QueryExample): string {
  const given = [
    ...Object.entries(lookups).map(([name, text]) => fenced(`lookup ${name}`, text)),
    ...Object.entries(fragments).map(([name, text]) => fenced(`fragment ${name}`, text)),
  ]
  return [fenced('quern', query), fenced('input', input), ...given, fenced('output', output)].join('\n')
}
