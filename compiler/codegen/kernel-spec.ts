/** What all kernels share: the function around the row loop, the loop itself, and comments that lead back to the query. */
import type { Expression, Statement } from 'estree'
import { positionOf, type SourceText, type Span } from '../../grammar/source.ts'
import type { ColumnShape } from '../../runtime/batch.ts'
import { Lru } from '../../runtime/helpers/lru.ts'
import type { KernelMode, KernelSpec, KernelText } from '../../runtime/program.ts'
import { KernelWriter } from './expression.ts'
import { commented, id, js, ROW } from './js.ts'
import { printJs, printJsWithMap } from './print.ts'

export interface KernelOptions {
  /** `kernel1_where` */
  readonly name: string
  readonly source: SourceText
  readonly origin: Span
  readonly sourceMaps: boolean
  /** What the kernel is made of: kernels of one name and identity are the same text for the same shapes. */
  readonly identity?: () => string
}

/** The row loop for a batch with or without a selection: two texts, each with nothing to decide per row. */
export function loop(mode: KernelMode, row: readonly Statement[]): Statement[] {
  return mode.selected
    ? js`for (let n = 0; n < selectedCount; n++) { const ${ROW} = selection[n]; ${row} }`
    : js`for (let ${ROW} = 0; ${ROW} < rowCount; ${ROW}++) { ${row} }`
}

export function kernelSpec(
  options: KernelOptions,
  fields: readonly string[],
  bail: readonly Statement[] | null,
  write: (writer: KernelWriter, mode: KernelMode) => Statement[],
  parameters: string,
): KernelSpec {
  let known: Written | null = null
  const specialised = (shapes: readonly ColumnShape[], mode: KernelMode, sites: Map<string, number>): KernelText => {
    const writer = new KernelWriter({
      kernelName: options.name,
      fields,
      shapes,
      sites,
      bail: mode.exact ? null : bail,
      isSecond: mode.exact,
    })
    // The prelude fills while rows are written, so `write` reads it last.
    const body = write(writer, mode)
    const params = `rt, k, ${parameters}`.split(', ').map(id)
    const fn: Expression = {
      type: 'FunctionExpression',
      id: id(options.name),
      params,
      body: { type: 'BlockStatement', body },
      generator: false,
      async: false,
    }
    const constants = writer.prelude.filter(isConstantBinding)
    const inner = [...constants, ...body.filter(statement => !isConstantBinding(statement))]
    const program = {
      type: 'Program' as const,
      sourceType: 'script' as const,
      body: [...js`"use strict";`, ...js`return ${{ ...fn, body: { type: 'BlockStatement' as const, body: inner } }};`],
    }
    if (!options.sourceMaps)
      return { text: printJs(program, true), constants: writer.constants, tables: writer.tables, map: null }
    const { text, map } = printJsWithMap(program, options.source.text)
    return { text, constants: writer.constants, tables: writer.tables, map }
  }
  return {
    name: options.name,
    origin: options.origin,
    fields,
    specialise(shapes, mode) {
      known ??= writtenFor(options)
      const key = `${mode.selected}${mode.exact}${mode.bySlot} ${shapes.map(shape => shape.key).join()}`
      let text = known.texts.get(key)
      if (text === undefined) known.texts.set(key, (text = specialised(shapes, mode, known.sites)))
      return text
    },
  }
}

/** What has been written for one kernel. Places that keep tables have one numbering for all its texts. */
interface Written {
  readonly sites: Map<string, number>
  readonly texts: Map<string, KernelText>
}

/** Of queries asked before: a dashboard asks the same all day, and writing a kernel takes ten times as long as finding it. */
const WRITTEN_MAX = 1024
const writtenBefore = new Lru<string, Written>(WRITTEN_MAX)

function writtenFor({ name, sourceMaps, identity }: KernelOptions): Written {
  const fresh = (): Written => ({ sites: new Map(), texts: new Map() })
  return identity === undefined || sourceMaps ? fresh() : writtenBefore.getOrMake(`${name} ${identity()}`, fresh)
}

/** `const k3 = k[3]`: before all that uses it. */
function isConstantBinding(statement: Statement): boolean {
  if (statement.type !== 'VariableDeclaration') return false
  const [declaration] = statement.declarations
  return declaration?.id.type === 'Identifier' && /^k\d+$/.test(declaration.id.name)
}

/** The comment people read above a statement, and the location tools map it to. */
export function annotate(
  what: string,
  origin: Span,
  options: KernelOptions,
  statements: readonly Statement[],
): Statement[] {
  const shown = what.length > 100 ? `${what.slice(0, 97)}...` : what
  const { line, column, length } = positionOf(options.source, origin)
  const list = commented(`${shown}  (query ${line}:${column}-${column + length})`, statements)
  if (!options.sourceMaps) return list
  const loc = { start: { line, column: column - 1 }, end: { line, column: column - 1 + length } }
  return list.map(statement => ({ ...statement, loc }))
}
