/**
 * Properties of every parse format: a line made from fields gives them back, as the engine reads it and as the reference does; no
 * text makes a format throw or take long; the same extractor asked for one field gives what it gives when asked for all.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FORMAT_LINES } from '../../../fuzz/generate/lines.ts'
import { createRandom, type Random } from '../../../fuzz/generate/random.ts'
import type { AstFormat, AstParse, ParseFormat } from '../../../grammar/ast.ts'
import { PARSE_FORMATS, parse } from '../../../grammar/index.ts'
import { createExtractor, FORMATS } from '../../../runtime/formats/index.ts'
import { valueToText } from '../../../runtime/helpers/format-value.ts'
import type { FormatSpec } from '../../../runtime/program.ts'
import type { Value } from '../../../storage/value.ts'
import { readFormat } from '../../reference/formats/index.ts'

const SEEDS = 300

type Fields = ReadonlyMap<string, Value>

function formatOf(text: string): AstFormat {
  const { query, diagnostics } = parse(`from main | parse ${text}`)
  assert.deepEqual(diagnostics, [], text)
  return query.pipeline.stages[0] as AstParse
}

function specOf({ format, pattern, options, alternatives }: AstFormat): FormatSpec {
  const given = Object.fromEntries(options.map(({ name, value }) => [name, value]))
  return { format, pattern: pattern?.text ?? null, options: given, alternatives: alternatives.map(specOf) }
}

/** What an extractor finds, all of it. */
function readAll(spec: FormatSpec, text: string): Fields | string {
  const extractor = createExtractor(spec)
  const problem = extractor.read(text)
  if (problem !== null) return problem
  const fields = new Map<string, Value>()
  extractor.emit({ wants: () => true, add: (name, value) => fields.set(name, value) })
  for (const [index, name] of (extractor.names ?? []).entries()) {
    assert.equal(shown(extractor.value(index)), shown(fields.get(name)), `${name} asked for alone`)
  }
  return fields
}

function shown(value: Value): string {
  return value === undefined ? '(missing)' : `${typeof value} ${valueToText(value)}`
}

function assertFields(found: Fields | string, wanted: Readonly<Record<string, Value>>, line: string): void {
  assert.ok(typeof found !== 'string', `${found as string}\n${line}`)
  for (const [name, value] of Object.entries(wanted))
    assert.equal(shown(found.get(name)), shown(value), `${name} of\n${line}`)
}

describe('a line made from fields', () => {
  for (const [name, make] of Object.entries(FORMAT_LINES)) {
    it(`of ${name} gives them back, to the engine and to the reference`, () => {
      for (let seed = 0; seed < SEEDS; seed++) {
        const { format, line, fields } = make(createRandom(seed))
        const ast = formatOf(format)
        const found = readAll(specOf(ast), line)
        assertFields(found, fields, line)
        const plain = readFormat(ast, line)
        assertFields(plain, Object.fromEntries(found as Fields), line)
        assertFields(found, Object.fromEntries(plain as Fields), line)
      }
    })

    it(`of ${name} is found by auto to be what it is, or something that says more`, () => {
      const spec = specOf(formatOf('auto'))
      for (let seed = 0; seed < 50; seed++) {
        const { line } = make(createRandom(seed))
        const engine = readAll(spec, line)
        const reference = readFormat(formatOf('auto'), line)
        const format = typeof engine === 'string' ? 'none' : engine.get('_format')
        const also = typeof reference === 'string' ? 'none' : reference.get('_format')
        assert.equal(format, also, line)
        const isDetected =
          FORMATS[name as ParseFormat].otherFields === null || ['json', 'logfmt', 'cef', 'leef'].includes(name)
        if (isDetected) assert.equal(format, name === 'clf' ? 'combined' : name, line)
      }
    })
  }
})

/** Lines of the format with a piece cut out, doubled or replaced; and nonsense. */
function damaged(random: Random, line: string): string {
  const from = random.int(0, line.length)
  const to = Math.min(line.length, from + random.int(0, 12))
  const piece = random.pick([
    '',
    ' ',
    '"',
    '\\',
    ']',
    '[',
    '|',
    '=',
    '\n',
    '\u0000',
    '\ud800',
    line.slice(from, to).repeat(2),
    '999999999999999999999',
  ])
  return line.slice(0, from) + piece + line.slice(to)
}

const PIECES = [...'a "=[]|{@\n', '\\"', 'a=', '[1', '="', '\\|', ', ', ': ', '(1', '\tat a(', '1/', '::', 'a.', 'a.a:']

describe('no text', () => {
  const lines = Object.values(FORMAT_LINES)
  for (const name of PARSE_FORMATS) {
    const own = name === 'auto' || name === 'first_of' ? FORMAT_LINES.json : FORMAT_LINES[name]
    const format =
      name === 'first_of'
        ? 'first_of(json, csv(columns="a,b"), syslog)'
        : name === 'auto'
          ? 'auto'
          : own(createRandom(0)).format

    it(`makes ${name} throw`, () => {
      const spec = specOf(formatOf(format))
      for (let seed = 0; seed < SEEDS; seed++) {
        const random = createRandom(seed)
        let line = (random.chance(0.5) ? own : random.pick(lines))(random).line
        for (let i = random.int(1, 4); i > 0; i--) line = damaged(random, line)
        assert.doesNotThrow(() => readAll(spec, line), line)
      }
      for (const text of [
        '',
        ' ',
        '\n',
        '"',
        '[',
        '{',
        '<',
        '<1',
        '<191>',
        '<1>1',
        '#',
        '=',
        '|',
        'CEF:',
        'LEEF:',
        '\ud800',
      ]) {
        assert.doesNotThrow(() => readAll(spec, text), JSON.stringify(text))
      }
    })

    // A scan that starts over at every character of one of these would go on for minutes.
    it(`of length keeps ${name} busy for more than a moment`, () => {
      const spec = specOf(formatOf(format))
      const start = own(createRandom(1)).line
      for (const piece of PIECES) readAll(spec, start + piece.repeat(200_000 / piece.length))
    })
  }
})
