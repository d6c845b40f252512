/**
 * A query laid out for people: one line if it fits, else a stage a line, and what is still too long over several. Comments stay: with the stage
 * they stand behind or before; one in the middle of a stage moves above it.
 */
import type { AstPipeline, AstQuery } from './ast.ts'
import type { Diagnostic } from './diagnostics.ts'
import { brokenStage, brokenTerms } from './layout.ts'
import { parse } from './parse.ts'
import { piecesOf, print } from './print.ts'
import { type ColouredToken, tokensOf } from './service/tokens.ts'

export interface Formatted {
  /** As it came when there are diagnostics. */
  readonly text: string
  readonly diagnostics: readonly Diagnostic[]
}

const WIDTH = 80

/** `format(format(x)) = format(x)`, and both mean what `x` means. O(text). */
export function format(text: string): Formatted {
  const { query, diagnostics } = parse(text)
  if (diagnostics.length > 0) return { text, diagnostics }
  const tokens = tokensOf(text)
  const comments = tokens.filter(token => token.kind === 'comment')
  const oneLine = print(query)
  if (comments.length === 0 && oneLine.length <= WIDTH) return { text: oneLine, diagnostics }
  return { text: printUnits(text, unitsOf(text, query, tokens), comments), diagnostics }
}

/** What stands on a line of its own, and where it stood. */
interface Unit {
  readonly start: number
  readonly end: number
  /** Which let, or the query itself: units of one pipeline share a line when it fits. */
  readonly pipeline: number
  readonly lead: string
  readonly indent: string
  readonly text: string
  readonly isTerms: boolean
  readonly suffix: string
}

function unitsOf(text: string, { lets, pipeline }: AstQuery, tokens: readonly ColouredToken[]): Unit[] {
  const named = lets.flatMap((each, index) => {
    const lead = `let $${each.name} = `
    return unitsOfPipeline(each.pipeline, { lead, indent: '  ', suffix: ';', pipeline: index, start: each.span.start })
  })
  const own = { lead: '', indent: '', suffix: '', pipeline: lets.length, start: pipeline.span.start }
  const units = [...named, ...unitsOfPipeline(pipeline, own)]
  // A unit ends with its last word: what stands between it and the next are pipes and comments.
  const words = tokens.filter(({ kind, start, end }) => kind !== 'comment' && !/^[|;]$/.test(text.slice(start, end)))
  return units.map((unit, index) => {
    const limit = units[index + 1]?.start ?? Number.POSITIVE_INFINITY
    return { ...unit, end: words.findLast(word => word.start < limit)?.end ?? unit.start }
  })
}

type Own = Pick<Unit, 'lead' | 'indent' | 'suffix' | 'pipeline' | 'start'>

function unitsOfPipeline(pipeline: AstPipeline, { lead, indent, suffix, pipeline: index, start }: Own): Unit[] {
  const { opening, stages, isBare } = piecesOf(pipeline)
  const unit = { pipeline: index, indent, isTerms: false, end: 0, suffix: '' }
  const units: Unit[] = []
  if (opening !== '') units.push({ ...unit, start, lead, text: opening, isTerms: true })
  for (const { text, span } of stages) {
    const isFirst = units.length === 0
    const pipe = isFirst && isBare ? '' : '| '
    units.push({ ...unit, start: isFirst ? start : span.start, lead: (isFirst ? lead : indent) + pipe, text })
  }
  const last = units.pop()
  if (last !== undefined) units.push({ ...last, suffix })
  return units
}

function printUnits(text: string, units: readonly Unit[], comments: readonly ColouredToken[]): string {
  const lines: string[] = []
  const rest = [...comments]
  const written = (comment: ColouredToken) => text.slice(comment.start, comment.end).trimEnd()
  for (const [index, unit] of units.entries()) {
    const inLine = lineOf(units, index, comments)
    if (inLine === null) continue
    const limit = units[index + 1]?.start ?? Number.POSITIVE_INFINITY
    const inside: string[] = []
    while ((rest[0]?.start ?? Number.POSITIVE_INFINITY) < unit.end) inside.push(written(rest.shift()!))
    const behind: string[] = []
    while ((rest[0]?.start ?? limit) < limit && !text.slice(unit.end, rest[0]!.start).includes('\n')) {
      behind.push(written(rest.shift()!))
    }
    for (const comment of inside) lines.push(unit.indent + comment)
    lines.push([...inLine, ...behind].join(' '))
  }
  return [...lines, ...rest.map(written)].join('\n')
}

/** The lines of a unit; with it the whole pipeline when that fits and nothing is said in between; null when it stands there already. */
function lineOf(units: readonly Unit[], index: number, comments: readonly ColouredToken[]): string[] | null {
  const unit = units[index]!
  const own = units.filter(each => each.pipeline === unit.pipeline)
  const [first = unit] = own
  const last = own.at(-1) ?? unit
  const isSaid = comments.some(comment => first.end <= comment.start && comment.start < last.start)
  const whole = own
    .map(each => (each === first ? each.lead : each.lead.trimStart()) + each.text + each.suffix)
    .join(' ')
  if (own.length > 1 && !isSaid && whole.length <= WIDTH) return unit === last ? [whole] : null
  const room = { lead: unit.lead, indent: `${unit.indent}    `, suffix: unit.suffix, width: WIDTH }
  return [unit.isTerms ? brokenTerms(unit.text, room) : brokenStage(unit.text, room)]
}
