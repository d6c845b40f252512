import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { HELPERS } from '../../../runtime/helpers/index.ts'
import { type CompiledRegex, compileRegex } from '../../../runtime/helpers/regex.ts'
import { shapeForV8 } from '../../../runtime/helpers/regex-shape.ts'
import { createWalk } from '../../../runtime/helpers/regex-walk.ts'

function compiled(pattern: string): CompiledRegex {
  const regex = compileRegex(pattern)
  assert.notEqual(typeof regex, 'string', `${pattern}: ${regex}`)
  return regex as CompiledRegex
}

/** Small pieces of every kind, so that random patterns meet random texts often. */
const atom = fc.constantFrom(
  'a',
  'b',
  ' ',
  '=',
  '.',
  '\\d',
  '\\w',
  '\\S',
  '\\s',
  '[ab]',
  '[^a]',
  '[^ =]',
  '[0-9]',
  '\\.',
  '\\b',
  'k',
)
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{1,3}', '{2}', '+?', '*?', '??')
const piece = fc.tuple(atom, quantifier).map(([a, q]) => (a === '\\b' ? a : a + q))
const sequence = fc.array(piece, { minLength: 1, maxLength: 6 }).map(pieces => pieces.join(''))
const group = fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), sequence, fc.constantFrom(')', ')', ')?', ')+'))
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '(?i)', '(?s)'),
    fc.constantFrom('', '', '^'),
    sequence,
    fc.oneof(
      fc.constant(''),
      group.map(parts => parts.join('')),
    ),
    fc.oneof(
      fc.constant(''),
      sequence,
      sequence.map(s => `|${s}`),
    ),
    fc.constantFrom('', '', '$'),
  )
  .map(parts => parts.join(''))
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'k', 'A', 'K', '\u212a', 'ſ', ' ', '=', '.', '1', '2', '\n', '\u2028', 'é', '😀'),
  maxLength: 14,
})

describe('patterns', () => {
  it('mean the same on both machines', () => {
    let onV8 = 0
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        const regex = compiled(source)
        if (regex.machine !== 'v8') return
        onV8++
        const matcher = RE2JS.compile(source).matcher(input)
        const found = matcher.find()
        assert.equal(regex.test(input), found)
        const match = regex.exec(input)
        assert.equal(match !== null, found)
        if (match === null) return
        assert.deepEqual([match.index, match.end], [matcher.start(), matcher.end()])
        for (let i = 0; i < regex.names.length; i++) assert.equal(match.groups[i], matcher.group(i) ?? undefined)
      }),
      { numRuns: 3000 },
    )
    // An optional group that matches nothing: V8 leaves it unset, the automaton sets it to the empty text.
    assert.equal(compiled('[^a](b*)?').machine, 'automaton')
    assert.equal(compiled('[^a](bb?|c)?').machine, 'v8')
    assert.ok(onV8 > 200, `only ${onV8} on V8`)
  })

  it('give the same groups when the automaton is walked as when it is run', () => {
    let matched = 0
    fc.assert(
      fc.property(pattern, text, fc.nat(3), (source, input, from) => {
        const automaton = RE2JS.compile(source)
        const walk = createWalk(automaton)
        assert.ok(walk !== null)
        if (from > input.length) return
        const matcher = automaton.matcher(input)
        const found = matcher.find(from)
        const caps: Int32Array | null | undefined = walk.exec(input, from)
        assert.ok(caps !== undefined)
        assert.equal(caps !== null, found, source)
        if (caps === null) return
        matched++
        for (let i = 0; i <= matcher.groupCount(); i++) {
          const start: number = caps[i * 2] ?? -1
          const end: number = caps[i * 2 + 1] ?? -1
          assert.equal(start < 0 ? undefined : input.slice(start, end), matcher.group(i) ?? undefined, `${source} ${i}`)
        }
        assert.deepEqual([caps[0], caps[1]], [matcher.start(), matcher.end()])
      }),
      { numRuns: 5000 },
    )
    assert.ok(matched > 500, `only ${matched} matched`)
  })

  it('go to the automaton when backtracking could cost more than one pass', () => {
    const hostile = [
      '(a+)+$',
      '(a|a)*b',
      '.*.*x',
      '\\d+x',
      '^.*,[^x]+x',
      '(\\w+\\s?)+$',
      'a{1,50}a{1,50}b',
      'x+$',
      '^a|b+c',
      '(?m)^a+b',
    ]
    for (const source of hostile) assert.equal(compiled(source).machine, 'automaton', source)
  })

  it('go to V8 when their shape is plain', () => {
    const plain = [
      'error|timeout',
      'user=(\\w+) ',
      'took (?<ms>\\d+)ms',
      '(?i)fail(ed|ure)',
      '^(\\S+) (\\S+) \\[([^\\]]+)\\]',
      'status=(\\d+)',
      '(?P<a>\\d{1,3})\\.\\d{1,3}',
    ]
    for (const source of plain) assert.equal(compiled(source).machine, 'v8', source)
  })

  it('take no more than one pass on V8, counted in the steps of a plain backtracker', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom('a', 'ab', 'a=', '=a', 'a ', '1', '1a', 'b.', '= ', ' k'),
        (source, unit) => {
          const leading = /^\(\?[is]\)/.exec(source)?.[0] ?? ''
          if (shapeForV8(source.slice(leading.length), leading.replace(/\W/g, '')) === null) return
          const small = countSteps(source.slice(leading.length), unit.repeat(40))
          const large = countSteps(source.slice(leading.length), unit.repeat(160))
          // Four times the text may cost four times the steps, and a little; a quadratic pattern would cost sixteen times.
          assert.ok(large <= small * 6 + 4000, `${source} on ${unit}: ${small} → ${large}`)
        },
      ),
      { numRuns: 600 },
    )
  })

  it('refuse what cannot be matched in linear time, saying so', () => {
    assert.match(compileRegex('a(?=b)') as string, /look-ahead/)
    assert.match(compileRegex('(a)\\1') as string, /back-references/)
    assert.match(compileRegex('(a') as string, /missing closing/)
  })

  it('name groups in both spellings', () => {
    assert.deepEqual(compiled('(?<a>x)(y)(?P<b>z)').names, [null, 'a', null, 'b'])
  })

  it('find every match, empty ones once', () => {
    assert.deepEqual(HELPERS.extractAll('a1b22', '\\d*'), ['', '1', '', '22', ''])
    assert.deepEqual(HELPERS.extractAll('aXbX', '(?i)x'), ['X', 'X'])
    assert.deepEqual(HELPERS.extractAll('ab', '^.'), ['a'])
  })
})

/**
 * A textbook backtracking matcher over the pieces above, counting how often an atom meets a character. It stands in for V8's
 * engine, which does not tell its steps.
 */
type Node =
  | { readonly kind: 'atom'; readonly test: RegExp; readonly min: number; readonly max: number; readonly lazy: boolean }
  | { readonly kind: 'group'; readonly branches: readonly (readonly Node[])[]; readonly optional: boolean }
  | { readonly kind: 'start' | 'end' | 'boundary' }

function countSteps(source: string, input: string): number {
  const branches = parseBranches({ source, at: 0 })
  let steps = 0
  const run = (nodes: readonly Node[], at: number, done: (at: number) => boolean): boolean => {
    const [node, ...rest] = nodes
    if (node === undefined) return done(at)
    steps++
    switch (node.kind) {
      case 'start':
        return at === 0 && run(rest, at, done)
      case 'end':
        return at === input.length && run(rest, at, done)
      case 'boundary':
        return /\w/.test(input[at - 1] ?? ' ') !== /\w/.test(input[at] ?? ' ') && run(rest, at, done)
      case 'group':
        for (const branch of node.branches) if (run(branch, at, next => run(rest, next, done))) return true
        return node.optional && run(rest, at, done)
      case 'atom': {
        let most = 0
        if (node.lazy) {
          while (true) {
            if (most >= node.min && run(rest, at + most, done)) return true
            steps++
            if (most >= node.max || !node.test.test(input[at + most] ?? '')) return false
            most++
          }
        }
        while (most < node.max && node.test.test(input[at + most] ?? '')) {
          steps++
          most++
        }
        for (; most >= node.min; most--) if (run(rest, at + most, done)) return true
        return false
      }
    }
  }
  for (let start = 0; start <= input.length; start++) {
    // V8 knows that a pattern bound to the start cannot match later.
    if (start > 0 && source.startsWith('^') && branches.length === 1) break
    if (branches.some(branch => run(branch, start, () => true))) break
  }
  return steps
}

function parseBranches(p: { readonly source: string; at: number }): Node[][] {
  const branches: Node[][] = [[]]
  while (p.at < p.source.length && p.source[p.at] !== ')') {
    const rest = p.source.slice(p.at)
    const nodes = branches.at(-1)!
    if (rest[0] === '|') {
      branches.push([])
      p.at++
    } else if (rest[0] === '^' || rest[0] === '$') {
      nodes.push({ kind: rest[0] === '^' ? 'start' : 'end' })
      p.at++
    } else if (rest.startsWith('\\b')) {
      nodes.push({ kind: 'boundary' })
      p.at += 2
    } else if (rest[0] === '(') {
      p.at += /^\((?:\?:|\?<\w+>)?/.exec(rest)![0].length
      const inner = parseBranches(p)
      p.at++
      const optional = p.source[p.at] === '?'
      if (optional) p.at++
      nodes.push({ kind: 'group', branches: inner, optional })
    } else {
      const [all, source, quantifier = ''] = /^(\\.|\[[^\]]*\]|.)([*+?]|\{\d(?:,\d)?\})?/s.exec(rest)!
      p.at += all.length
      const lazy = quantifier !== '' && p.source[p.at] === '?'
      if (lazy) p.at++
      const [min, max] = boundsOf(quantifier)
      nodes.push({ kind: 'atom', test: new RegExp(`^${source}$`, 'su'), min, max, lazy })
    }
  }
  return branches
}

function boundsOf(quantifier: string): [number, number] {
  if (quantifier === '*') return [0, Number.POSITIVE_INFINITY]
  if (quantifier === '+') return [1, Number.POSITIVE_INFINITY]
  if (quantifier === '?') return [0, 1]
  const [, min, max = min] = /\{(\d)(?:,(\d))?\}/.exec(quantifier) ?? [null, '1']
  return [Number(min), Number(max)]
}
