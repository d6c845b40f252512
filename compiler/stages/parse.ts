/** parse: which fields a text will give is known from captures and `into`, or only from the data. */
import type { AstParse } from '../../grammar/ast.ts'
import { suggestName } from '../../grammar/index.ts'
import { captureExtractor } from '../../runtime/formats/index.ts'
import { patternProblem } from '../../runtime/helpers/text.ts'
import type { ValueType } from '../../storage/value.ts'
import { Scope } from '../resolve/scope.ts'
import type { LowerContext, Stage } from './stage.ts'

export const parse: Stage<'parse'> = {
  kind: 'parse',
  doc: {
    summary:
      'Extracts fields from text (`_raw` unless `from f` says otherwise): json, logfmt, kv, regex, pattern, combined. Fields that hold something are not overwritten; failures are data (`_error`, `_error_detail`).',
    examples: [
      {
        query: 'parse pattern "<user> logged in from <ip>" | keep user, ip',
        input: 'ann logged in from 10.0.0.1',
        output: '{"user":"ann","ip":"10.0.0.1"}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    const names = captureNames(stage, cx)
    if (names !== null) checkInto(stage, names, cx)
    const outputs =
      stage.into !== null
        ? stage.into.map(({ name, type }) => ({ name, cast: type }))
        : (names?.map(name => ({ name, cast: null })) ?? null)
    const from = stage.from === null ? '_raw' : fieldName(cx, stage.from)
    const prefix = stage.prefix ?? ''
    const onError = stage.onError ?? 'propagate'
    const added: (readonly [string, ValueType])[] = (outputs ?? []).map(({ name, cast }) => [
      prefix + name,
      cx.scope.fields.has(prefix + name) ? 'any' : (cast ?? 'any'),
    ])
    if (onError === 'propagate') added.push(['_error', 'string'], ['_error_detail', 'string'])
    const scope = cx.scope.with(added)
    return {
      op: {
        kind: 'parse',
        origin: stage.span,
        input: cx.input,
        format: stage.format,
        pattern: stage.pattern?.text ?? null,
        options: Object.fromEntries(stage.options.map(option => [option.name, option.value])),
        from,
        outputs,
        prefix,
        onError,
        demanded: null,
      },
      // What json and kv will find only the data knows.
      scope: outputs === null ? new Scope(scope.fields, true) : scope,
    }
  },
}

function fieldName(
  cx: LowerContext,
  field: { readonly name: string; readonly span: { readonly start: number; readonly end: number } },
): string {
  const expr = cx.exprs.field(field.name, field.span)
  return expr.kind === 'field' ? expr.name : field.name
}

/** Fields the format is known to set; null: only the text knows. */
function captureNames(stage: AstParse, cx: LowerContext): readonly string[] | null {
  if (stage.format === 'regex' && stage.pattern !== null) {
    const problem = patternProblem(stage.pattern.text)
    if (problem !== null) {
      cx.report({ code: 'E205', message: `not a usable pattern: ${problem}`, span: stage.pattern.span })
      return []
    }
  }
  const { names } = captureExtractor({ format: stage.format, pattern: stage.pattern?.text ?? null, options: {} })
  if (names !== null && names.length === 0 && stage.pattern !== null) {
    const example = stage.format === 'regex' ? '(?<name>\\d+)' : '<name>'
    cx.report({
      code: 'E205',
      message: `the ${stage.format} captures nothing; name what to extract: ${example}`,
      span: stage.pattern.span,
    })
  }
  return names
}

function checkInto(stage: AstParse, names: readonly string[], cx: LowerContext): void {
  for (const { name, span } of stage.into ?? []) {
    if (names.includes(name)) continue
    const near = suggestName(name, [...names])
    cx.report({
      code: 'E101',
      message: `${stage.format} does not capture '${name}'`,
      span,
      ...(near !== null && { suggestion: near, edit: { span, text: near } }),
    })
  }
}
