/** The generated pages, as text: `npm run docs` writes them, the test compares them with what is on disk. */
import { DIAGNOSTIC_CODES, type DiagnosticCode } from '../../grammar/index.ts'
import { loadConfig } from '../../server/config.ts'
import { METRICS } from '../../server/metrics.ts'
import { tagOf } from '../../server/openapi.ts'
import { OPTIONS, type Option, type OptionName } from '../../server/options.ts'
import { ROUTES } from '../../server/routes/index.ts'
import { errorExample, UNSHOWN } from './error-examples.ts'
import { FOREIGN_EXAMPLES, fixedQuery } from './foreign-examples.ts'
import { code, fenced, GENERATED_NOTE, table } from './markdown.ts'
import { referencePage } from './reference.ts'

/** Path from the root of the repository → its text. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference.md', ended(referencePage())],
    ['docs/errors.md', ended(await errorsPage())],
    ['docs/settings.md', ended(settingsPage())],
    ['docs/metrics.md', ended(metricsPage())],
    ['docs/routes.md', ended(routesPage())],
  ])
}

function ended(text: string): string {
  return `${text.trimEnd()}\n`
}

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const GROUPS: readonly (readonly [string, string])[] = [
  ['E1', 'Names'],
  ['E2', 'Types and arguments'],
  ['E3', 'Syntax'],
  ['E4', 'Stages and where they stand'],
  ['E5', 'Limits'],
  ['H9', 'Hints'],
]

async function errorsPage(): Promise<string> {
  const parts = [
    '# Errors and hints',
    GENERATED_NOTE,
    'All errors of a query are told at once, each with its code, its place, and what to type instead where that is known. Over HTTP',
    'they are the `errors` of a 400 answer (`code`, `message`, `position`, `expected`, `suggestion`, and `fix`: the whole corrected query).',
    'A code never changes its meaning and is never used again. Hints do not change a result.',
  ]
  for (const [prefix, title] of GROUPS) {
    parts.push('', `## ${title}`)
    for (const [name, meaning] of Object.entries(DIAGNOSTIC_CODES)) {
      if (!name.startsWith(prefix)) continue
      parts.push('', `### ${name}: ${meaning}`)
      const frame = await errorExample(name as DiagnosticCode)
      const instead = UNSHOWN.get(name as DiagnosticCode) ?? 'Reserved: this version does not report it.'
      parts.push('', frame === null ? instead : fenced('', frame))
    }
  }
  parts.push(
    '',
    '## Coming from elsewhere',
    '',
    'What other languages write is an error whose fix is the whole query in the words of this one, ready to run.',
    '',
  )
  const rows = FOREIGN_EXAMPLES.map(([language, query]) => [language, code(query), code(fixedQuery(query) ?? 'none')])
  parts.push(table(['', 'written', 'fixed'], rows))
  return parts.join('\n')
}

// ── Settings ────────────────────────────────────────────────────────────────────────────────────────────────────────

function settingsPage(): string {
  // Without file, flags and environment, what remains are the defaults and their documentation.
  const entries = loadConfig({ environment: {} }).entries()
  const sections = new Map<string, (typeof entries)[number][]>()
  for (const entry of entries) {
    const title = entry.name.includes('.') ? entry.name.slice(0, entry.name.indexOf('.')) : 'server'
    sections.set(title, [...(sections.get(title) ?? []), entry])
  }
  const parts = [
    '# Settings of the server',
    GENERATED_NOTE,
    'A setting comes from, strongest first: a flag of `quern server` (`--port`, `--host`, `--data`), the environment (`QUERN_…`; the same name with `SERVICE_…`',
    'is read too, and is weaker), the YAML file of `--config` (names dotted or nested), the default. A key in the file that is no setting stops the server.',
    'Sizes are written `512kb`, `100mb`, `1gb` (steps of 1024), durations `250ms`, `30s`, `5m`.',
  ]
  for (const [title, found] of sections) {
    const rows = found.map(entry => [
      code(entry.name),
      code(entry.environment),
      entry.default === '' ? 'empty' : code(entry.default),
      valuesOf(entry.name),
      entry.doc,
    ])
    parts.push('', `## ${title}`, '', table(['setting', 'environment', 'default', 'values', 'meaning'], rows))
  }
  return parts.join('\n')
}

function valuesOf(name: OptionName): string {
  const option: Option<string | number | boolean> = OPTIONS[name]
  if (option.choices !== undefined) return option.choices.map(code).join(' ')
  if (option.kind !== 'integer') return option.kind
  const { min, max } = option
  return max === undefined ? `integer, ${min ?? 0} or more` : `integer, ${min ?? 0} to ${max}`
}

// ── Metrics ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    labels.map(code).join(' '),
    help,
  ])
  return [
    '# Metrics',
    GENERATED_NOTE,
    '`GET /metrics` has them in the Prometheus text format, `GET /api/v1/metrics` as JSON. The names without a prefix are those of a cluster; a single node is one at rest.',
    '',
    table(['metric', 'type', 'labels', 'meaning'], rows),
  ].join('\n')
}

// ── Routes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function routesPage(): string {
  const sections = new Map<string, string[][]>()
  for (const route of ROUTES) {
    const tag = tagOf(route)
    const parameters = [route.query, route.body].flatMap(schema => Object.keys(schema?.properties ?? {}))
    const row = [route.method, code(route.path), route.scope, route.summary, parameters.map(code).join(' ')]
    sections.set(tag, [...(sections.get(tag) ?? []), row])
  }
  const parts = [
    '# Routes',
    GENERATED_NOTE,
    'Also served by every server, with types: `/openapi.json`, and `/docs` for people. With `auth.enabled`, a route needs a key of its scope; `open` ones need none,',
    '`root` ones a root key, and `admin` keys may do everything but those.',
  ]
  for (const [tag, rows] of sections)
    parts.push('', `## ${tag}`, '', table(['method', 'path', 'scope', 'what', 'parameters and fields'], rows))
  return parts.join('\n')
}
