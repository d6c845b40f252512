/** The route table for people: one page without scripts, fonts or anything else fetched from elsewhere. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { tagOf } from './openapi.ts'
import type { Route } from './routes/route.ts'

export function docsPage(routes: readonly Route[], version: string): string {
  const groups = groupBy(routes)
  const sections = [...groups].map(
    ([tag, members]) =>
      `<section id="${inHtml(tag)}"><h2>${inHtml(tag)}</h2>${members.map(routeText).join('')}</section>`,
  )
  const links = [...groups.keys()].map(tag => `<a href="#${inHtml(tag)}">${inHtml(tag)}</a>`).join(' ')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Quern ${inHtml(version)}: routes</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>Quern ${inHtml(version)}</h1><p>The same as data: <a href="/openapi.json">openapi.json</a>.</p><nav>${links}</nav>
${sections.join('\n')}</body></html>
`
}

function groupBy(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>()
  for (const route of routes) {
    const tag = tagOf(route)
    const members = groups.get(tag)
    if (members === undefined) groups.set(tag, [route])
    else members.push(route)
  }
  return groups
}

function routeText({ method, path, scope, summary, query, body, answers }: Route): string {
  return `<article><h3><b>${method}</b> <code>${inHtml(path)}</code> <small>${scope}</small></h3><p>${inHtml(summary)}</p>${
    query === null ? '' : fields('parameter', query)
  }${body === null ? '' : fields('field', body)}${answers === null ? '' : `<p>answers <code>${inHtml(answers)}</code></p>`}</article>`
}

function fields(noun: string, schema: TObject): string {
  const required = new Set(schema.required ?? [])
  const rows = Object.entries<TSchema>(schema.properties).map(
    ([name, property]) =>
      `<tr><td><code>${inHtml(name)}</code></td><td>${inHtml(typeOf(property))}${required.has(name) ? ', required' : ''}</td><td>${inHtml(
        property.description ?? '',
      )}</td></tr>`,
  )
  return rows.length === 0 ? '' : `<table><tr><th>${noun}</th><th></th><th></th></tr>${rows.join('')}</table>`
}

function typeOf(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as TSchema[]).map(typeOf).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  return String(schema.type ?? 'any')
}

function inHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
article{border-top:1px solid #ddd;padding:.4rem 0}h3{margin:.2rem 0;font-weight:400}small{color:#777}p{margin:.2rem 0}
table{border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:.1rem .8rem .1rem 0;vertical-align:top}nav a{margin-right:.8rem}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}a{color:#8bf}article{border-color:#333}}`
