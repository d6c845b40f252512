import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, printExpr } from '../../grammar/index.ts'
import { canonical, codes, fixed } from './support.ts'

/** The condition that search terms stand for. */
function meaning(text: string): string {
  const { query, diagnostics } = parse(text)
  assert.deepEqual(diagnostics, [], text)
  assert.ok(query.pipeline.search !== null, text)
  return printExpr(query.pipeline.search)
}

const MEANINGS: readonly (readonly [text: string, meaning: string])[] = [
  ['timeout', 'has(_raw, "timeout")'],
  ['time*', 'has_glob(_raw, "time*")'],
  ['t?meout', 'has_glob(_raw, "t?meout")'],
  ['"connection reset"', 'contains(_raw, "connection reset")'],
  ['r"C:\\new"', 'contains(_raw, r"C:\\new")'],
  ['status=500', 'status == 500'],
  ['status!=500', 'status != 500'],
  ['status >= 500', 'status >= 500'],
  ['http.status<400', 'http.status < 400'],
  ['host=web-*', 'glob(host, "web-*")'],
  ['host!=web-*', 'not glob(host, "web-*")'],
  ['host="web-*"', 'host == "web-*"'],
  ['port=*', 'exists(port)'],
  ['port!=*', 'not exists(port)'],
  ['`user-id`=5', '`user-id` == 5'],
  ['level in ("error", warn, 3)', 'level in ["error", "warn", 3]'],
  ['level not in (error)', 'level not in ["error"]'],
  ['version=1.10', 'version == "1.10"'],
  ['id=007', 'id == "007"'],
  ['ratio=0.5', 'ratio == 0.5'],
  ['n=-5', 'n == -5'],
  ['ok=true x=null', 'ok == true and x == null'],
  ['n=99999999999999999999', 'n == "99999999999999999999"'],
  ['url=/a?b=c&d', 'glob(url, "/a?b=c&d")'],
  ['url=http://x/y', 'url == "http://x/y"'],
  ['user=$u', 'user == $u'],
  ['10.0.0.1', 'has(_raw, "10.0.0.1")'],
  ['req-42', 'has(_raw, "req-42")'],
  ["can't", 'has(_raw, "can\'t")'],
  ['a\\*b', 'has(_raw, "a*b")'],
  ['a\\*b*', 'has_glob(_raw, "a\\\\*b*")'],
  ['C:\\temp', 'has(_raw, "C:\\\\temp")'],
  ['--', 'contains(_raw, "--")'],
  ['*', 'true'],
  ['a b', 'has(_raw, "a") and has(_raw, "b")'],
  ['a AND b OR NOT c', 'has(_raw, "a") and has(_raw, "b") or not has(_raw, "c")'],
  ['a (b or c)', 'has(_raw, "a") and (has(_raw, "b") or has(_raw, "c"))'],
  ['not a b', 'not has(_raw, "a") and has(_raw, "b")'],
  ['failed in module', 'has(_raw, "failed") and has(_raw, "in") and has(_raw, "module")'],
  ['rate=5', 'rate == 5'],
  ['count=5 where>1', 'count == 5 and where > 1'],
  ['timeout // a comment', 'has(_raw, "timeout")'],
]

for (const [text, expected] of MEANINGS) {
  test(`${text} means ${expected}`, () => {
    assert.equal(meaning(text), expected)
    assert.equal(meaning(canonical(text)), meaning(text), 'printed as search terms it means the same')
  })
}

test('a word that names a stage is a search term when no stage could follow from it', () => {
  for (const text of [
    'parse error',
    'rate limit exceeded',
    'order placed',
    'count me',
    '(count)',
    'sort-order',
    'keep',
  ]) {
    meaning(text)
  }
  for (const text of [
    'count',
    'count by host',
    'head 5',
    'where x',
    'stats count()',
    'sort -x',
    'top host',
    'describe',
  ]) {
    const { query, diagnostics } = parse(text)
    assert.deepEqual(diagnostics, [], text)
    assert.equal(query.pipeline.search, null, text)
    assert.equal(query.pipeline.stages.length, 1, text)
  }
})

test('terms that would be read as a stage are printed in brackets', () => {
  assert.equal(canonical('(count)'), '(count)')
  assert.equal(canonical('(from x)'), '(from x)')
  assert.equal(canonical('from main (head 5)'), 'from main (head 5)')
})

test('terms keep the fewest brackets', () => {
  assert.equal(canonical('((a) and ((b))) or (c)'), 'a b or c')
  assert.equal(canonical('a and (b and c)'), 'a (b c)')
})

const MENDED: readonly (readonly [text: string, fix: string])[] = [
  ['status == 500', 'status = 500'],
  ['status === 500', 'status = 500'],
  ['status <> 500', 'status != 500'],
  ["msg='a b'", 'msg="a b"'],
  ["'a b'", '"a b"'],
  ['!error', 'not error'],
  ['a && b', 'a and b'],
  ['a || b', 'a or b'],
  ['user-id=5', '`user-id`=5'],
  ['"user id"=5', '`user id`=5'],
  ['x in ["a", b]', 'x in ("a", b)'],
  ['(a b', '(a b)'],
  ['"abc', '"abc"'],
  ['len(x) > 3', 'where len(x) > 3'],
  ['from main len(x) > 3 | head 5', 'from main | where len(x) > 3 | head 5'],
]

for (const [text, fix] of MENDED) {
  test(`${text} becomes ${fix}`, () => {
    assert.equal(fixed(text), fix)
  })
}

test('what is no term is refused', () => {
  for (const text of ['a or', 'and a', 'or', 'not', '()', 'a)', 'x=', 'a=~b', '[error]', 'a, b', 'x = =y', '<b>']) {
    assert.ok(codes(text).length > 0, text)
  }
})
