/** `extract` over a text column matches bytes, or looks only at rows that hold what every match of the pattern does, and finds the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from '../../engine.ts'
import { NOW } from '../case-input.ts'

/** Texts no two of which are equal, so that no dictionary holds them: hits, near misses, hits across two rows, another case, none at all. */
const texts = Array.from({ length: 3000 }, (_, n): string | null => {
  switch (n % 7) {
    case 0:
      return `${n}: user u${n} logged in`
    case 1:
      return `${n}: user nobody logged in from ${n}`
    case 2:
      return `USER u${n} LOGGED IN ${n}`
    case 3:
      return `${n} ends with user u${n} logged`
    case 4:
      return ` in, begins the next: ${n}`
    case 5:
      return null
    default:
      return `${n} ſuſer u${n} logged in é`
  }
})

const patterns = ['user (u\\d+) logged in', '(?i)user (u\\d+) logged in', 'ser (u\\d+)', '(u\\d+)']

for (const pattern of patterns) {
  test(`extract(message, r"${pattern}") over a text column`, async () => {
    const engine = await open(null)
    await engine.ingest(texts.map((message, n) => ({ n, message, keep: n % 3 })))
    const query = `where keep != 1 | extend who = extract(message, r"${pattern}") | keep n, who | sort n`
    const { rows } = await engine.query(query, { now: NOW }).collect()
    const { js } = await engine.explain(query, { now: NOW, js: true })
    await engine.close()
    const [flags, source] = pattern.startsWith('(?i)') ? ['iu', pattern.slice(4)] : ['', pattern]
    const regex = new RegExp(source, flags)
    const expected = texts.flatMap((text, n) => (n % 3 === 1 ? [] : [[n, regex.exec(text ?? '')?.[1] ?? null]]))
    assert.deepEqual(rows, expected)
    const sources = (js as readonly { readonly source: string }[]).map(({ source }) => source)
    const has = (helper: string) => sources.some(source => source.includes(`rt.${helper}(`))
    // Letters of either case are for the pattern's own machine.
    assert.equal(has('textExtract'), !pattern.startsWith('(?i)'))
    assert.equal(has('rowsWithLiteral'), pattern.startsWith('(?i)'))
  })
}
