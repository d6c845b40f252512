/** `lag` and `lead`: the value of a row before or after this one in its group. */
import type { Parameter, WindowFunction } from '../descriptor.ts'

const X: Parameter = { name: 'x', type: 'any', doc: 'Any value; a null counts as one.' }

/** Each group holds as many values as rows are looked back on. */
export const OFFSET_MAX = 1_000_000

function offset(name: 'lag' | 'lead', foreign: readonly string[], answers: readonly [string, string]): WindowFunction {
  const direction = name === 'lag' ? 'before' : 'after'
  return {
    kind: 'window',
    category: 'window',
    name,
    foreign,
    doc: {
      summary:
        name === 'lag'
          ? 'The value the row before had, or the row n before, in its group; null where there is none.'
          : 'The value the row after has, or the row n after, in its group; null where there is none. All rows are held until the input ends.',
      examples: [
        {
          query: `streamstats ${name}(x) | keep x, ${name === 'lag' ? '`lag(x)`' : '`lead(x)`'}`,
          input: '{"x":1}\n{"x":5}',
          output: `{"x":1,"${name}(x)":${answers[0]}}\n{"x":5,"${name}(x)":${answers[1]}}`,
        },
      ],
    },
    parameters: [
      X,
      {
        name: 'n',
        type: 'int',
        doc: `How many rows ${direction}; 1 unless given.`,
        optional: true,
        constant: true,
        within: { min: 1, max: OFFSET_MAX, whole: true },
      },
    ],
    type: ([x]) => x ?? 'any',
    meaning: { kind: 'offset', direction },
  }
}

export const lag = offset('lag', ['prev', 'previous'], ['null', '1'])
export const lead = offset('lead', ['next'], ['5', 'null'])
