/** parse: which fields a text will give is known from the format, from captures and `into`, or only from the data. */
import type { AstFormat, AstParse } from '../../grammar/ast.ts'
import { suggestName } from '../../grammar/index.ts'
import { createExtractor, FORMATS, formatProblems } from '../../runtime/formats/index.ts'
import type { FormatSpec } from '../../runtime/program.ts'
import type { ValueType } from '../../storage/value.ts'
import { Scope } from '../resolve/scope.ts'
import type { LowerContext, Stage } from './stage.ts'

export const parse: Stage<'parse'> = {
  kind: 'parse',
  doc: {
    summary:
      'Extracts fields from text (`_raw` unless `from f` says otherwise) in one of the formats of parse. Fields that hold something are not overwritten. A text that does not fit keeps its event: `_error` is `parse_failed` and `_error_detail` says why; `on_error` says otherwise: `null` sets the fields to null, `drop` leaves the event out, `strict` fails the query.',
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
    const spec = specOf(stage)
    const isUsable = checkFormat(stage, cx)
    const names = isUsable ? createExtractor(spec).names : []
    if (names !== null && isUsable) checkInto(stage, names, cx)
    const outputs =
      stage.into !== null
        ? stage.into.map(({ name, type }) => ({ name, cast: type }))
        : (names?.map(name => ({ name, cast: null })) ?? null)
    const from = stage.from === null ? '_raw' : fieldName(cx, stage.from)
    const prefix = stage.prefix ?? ''
    const onError = stage.onError ?? 'propagate'
    const types = typesOf(spec)
    const known = outputs ?? [...types.keys()].map(name => ({ name, cast: null }))
    const added = known.map(({ name, cast }): readonly [string, ValueType] => [
      prefix + name,
      mayExist(prefix + name, cx) ? 'any' : (cast ?? types.get(name) ?? 'any'),
    ])
    const errors: (readonly [string, ValueType])[] =
      onError === 'propagate'
        ? [
            ['_error', 'string'],
            ['_error_detail', 'string'],
          ]
        : []
    const scope = cx.scope.with([...added, ...errors])
    return {
      op: {
        kind: 'parse',
        origin: stage.span,
        input: cx.input,
        ...spec,
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

function specOf({ format, pattern, options, alternatives }: AstFormat): FormatSpec {
  return {
    format,
    pattern: pattern?.text ?? null,
    options: Object.fromEntries(options.map(option => [option.name, option.value])),
    alternatives: alternatives.map(specOf),
  }
}

/** May rows have the field already? What they have is kept, of whatever type it is. */
function mayExist(name: string, { scope, knownFields }: LowerContext): boolean {
  if (scope.fields.has(name)) return true
  if (!scope.isOpen) return scope.hasMembers(name)
  if (!scope.isStored || knownFields === null || knownFields.size === 0) return true
  return [...knownFields.keys()].some(
    known => known === name || known.startsWith(`${name}.`) || name.startsWith(`${known}.`),
  )
}

/** Types of the fields a format is known to make. Where formats of `first_of` disagree, nothing is known. */
function typesOf(spec: FormatSpec): ReadonlyMap<string, ValueType> {
  const types = new Map<string, ValueType>(FORMATS[spec.format].fields.map(({ name, type }) => [name, type]))
  for (const alternative of spec.alternatives) {
    for (const [name, type] of typesOf(alternative)) types.set(name, (types.get(name) ?? type) === type ? type : 'any')
  }
  return types
}

function fieldName(
  cx: LowerContext,
  field: { readonly name: string; readonly span: { readonly start: number; readonly end: number } },
): string {
  const expr = cx.exprs.field(field.name, field.span)
  return expr.kind === 'field' ? expr.name : field.name
}

/** Are the arguments of the format, and of those within it, ones it can work with? */
function checkFormat(format: AstFormat, cx: LowerContext): boolean {
  const problems = formatProblems({ ...specOf(format), alternatives: [] })
  for (const { message, option, misspelt } of problems) {
    const whole = format.options.find(each => each.name === option)?.span ?? format.pattern?.span
    if (whole === undefined) throw new Error(`a problem with nothing that was written: ${message}`)
    const start = (format.pattern?.textSpan?.start ?? Number.NaN) + (misspelt?.at ?? Number.NaN)
    const isPlaced = misspelt !== undefined && !Number.isNaN(start)
    const span = isPlaced ? { start, end: start + misspelt.word.length } : whole
    const suggestion = misspelt === undefined ? null : suggestName(misspelt.word, misspelt.known)
    const edit = isPlaced && suggestion !== null ? { edit: { span, text: suggestion } } : {}
    cx.report({ code: 'E205', message, span, ...(suggestion !== null && { suggestion }), ...edit })
  }
  return format.alternatives.map(each => checkFormat(each, cx)).every(isUsable => isUsable) && problems.length === 0
}

function checkInto(stage: AstParse, names: readonly string[], cx: LowerContext): void {
  for (const { name, span } of stage.into ?? []) {
    if (names.includes(name)) continue
    const near = suggestName(name, [...names])
    cx.report({
      code: 'E101',
      message: `${stage.format} does not ${stage.pattern === null ? 'make' : 'capture'} '${name}'`,
      span,
      ...(near !== null && { suggestion: near, edit: { span, text: near } }),
    })
  }
}
