/** Rows from elsewhere as a stage takes them: `$name`, `[from app | head 5]`, `lookup users`. */
import type { AstInput, AstLookupInput, AstPipeline, AstStage } from '../ast.ts'
import { isPunctuation, isWord, type Parser } from '../parser.ts'
import { parsePipeline } from '../pipeline.ts'
import { printPipeline } from '../print.ts'
import { quoteField, type Token } from '../token.ts'
import { parseName } from './syntax.ts'

const EXPECTED = ['$name', '[pipeline]', 'lookup name']

export function startsInput(token: Token): boolean {
  return token.kind === 'variable' || isPunctuation(token, '[', '(') || isWord(token, 'lookup')
}

export function parseInput(p: Parser): AstInput {
  if (p.watch !== null) p.expects({ kind: 'rows' })
  const token = p.peek()
  if (token.kind === 'variable') {
    p.take()
    return { kind: 'let-input', span: p.spanFrom(token.start), name: token.text }
  }
  if (isPunctuation(token, '[')) {
    const open = p.take()
    const pipeline = p.inner(open, () => parsePipeline(p))
    p.expectClosing(']', open)
    return { kind: 'pipeline-input', span: p.spanFrom(token.start), pipeline }
  }
  if (isWord(token, 'lookup')) {
    p.take('keyword')
    return parseTable(p, token)
  }
  if (isPunctuation(token, '(')) {
    const span = { start: token.start, end: token.end }
    p.fail({ code: 'E301', message: 'a pipeline within a query stands in square brackets', span, expected: EXPECTED })
  }
  return p.unexpected(
    EXPECTED,
    'a let such as $errors, a pipeline in brackets such as [from app | head 5], or a lookup table',
  )
}

/** The name of a lookup table; `lookup` has been taken. */
export function parseTable(p: Parser, keyword: Token): AstLookupInput {
  if (p.watch !== null) p.expects({ kind: 'table' })
  const { name, span } = parseName(p, 'the name of a lookup table')
  return { kind: 'lookup-input', span: p.spanFrom(keyword.start), name, nameSpan: span }
}

export function printInput(input: AstInput): string {
  switch (input.kind) {
    case 'let-input':
      return `$${input.name}`
    case 'pipeline-input':
      return `[${printPipeline(input.pipeline)}]`
    case 'lookup-input':
      return `lookup ${quoteField(input.name)}`
  }
}

/** The stage with the pipelines it holds changed; the same stage when it holds none or none changed. */
export function mapPipelines(stage: AstStage, change: (pipeline: AstPipeline) => AstPipeline): AstStage {
  const changed = (input: AstInput): AstInput => {
    if (input.kind !== 'pipeline-input') return input
    const pipeline = change(input.pipeline)
    return pipeline === input.pipeline ? input : { ...input, pipeline }
  }
  switch (stage.kind) {
    case 'union': {
      const inputs = stage.inputs.map(changed)
      return inputs.every((input, index) => input === stage.inputs[index]) ? stage : { ...stage, inputs }
    }
    case 'join': {
      const input = changed(stage.with)
      return input === stage.with ? stage : { ...stage, with: input }
    }
    default:
      return stage
  }
}
