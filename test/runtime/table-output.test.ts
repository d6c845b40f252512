/** Tables for people: what is shortened, and what is not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderTable } from '../../runtime/output/table.ts'

describe('a table', () => {
  it('shows of a fraction what is read, and of everything else all', () => {
    const rows = [[0.08083028083028083], [1234.567891], [0.25], [12345678901234], [-0.000123456], [1e-9]]
    const lines = renderTable(['share'], rows, { width: null }).trimEnd().split('\n').slice(2)
    assert.deepEqual(
      lines.map(line => line.trim()),
      ['0.08083', '1234.5679', '0.25', '12345678901234', '-0.0001235', '1e-9'],
    )
  })

  it('puts a text of several lines into one', () => {
    assert.equal(renderTable(['text'], [['a {\r\n\t  b\n}']], { width: null }).split('\n')[2], 'a { b }')
  })

  it('cuts a long cell where the terminal ends, and says so', () => {
    assert.equal(renderTable(['text'], [['abcdefghijklmnop']], { width: 10 }).split('\n')[2], 'abcdefghi…')
  })
})
