/** Lines of every parse format, for `--micro`: each read for all its fields, for one of them, and for none. */
import { FORMAT_LINES, type FormatLine } from '../../fuzz/generate/lines.ts'
import { createRandom } from '../../fuzz/generate/random.ts'
import { type Columns, partOf, text } from './vectors.ts'

/** Times the block rows of vectors.ts: 196,608 lines. */
const BLOCKS = 3
/** Made once and repeated: texts are decoded and parsed anew in every row. */
const LINES = 4096

export interface FormatBench {
  readonly name: string
  readonly pipeline: string
  readonly rows: number
  readonly part: ReturnType<typeof partOf>
}

export function* formatBenches(only: string, blockRows: number): Generator<FormatBench> {
  for (const [name, make] of Object.entries(FORMAT_LINES)) {
    if (!`parse ${name}`.includes(only)) continue
    const made: FormatLine[] = []
    // The generator likes what is odd; logs are ASCII but for a line here and there.
    for (let seed = 0; made.length < LINES; seed++) {
      const line = make(createRandom(seed))
      if (seed % 20 === 0 || /^[\x00-\x7f]*$/.test(line.line)) made.push(line)
    }
    const { format, fields } = made[0]!
    const rows = Array.from({ length: blockRows }, (_, row) => made[row % LINES]!.line)
    const block: Columns = new Map([['body', text(rows)]])
    const part = partOf(Array.from({ length: BLOCKS }, () => block))
    const first = Object.keys(fields).find(field => fields[field] !== undefined)!
    const parse = `parse ${format} from body`
    const bench = { rows: blockRows * BLOCKS, part }
    yield { name: `parse ${name}, all fields`, pipeline: parse, ...bench }
    yield { name: `parse ${name}, one field`, pipeline: `${parse} | keep ${first}`, ...bench }
    yield { name: `parse ${name}, errors only`, pipeline: `${parse} | where exists(_error) | keep _error`, ...bench }
  }
}
