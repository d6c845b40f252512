/** For stages with an operator of their own: the op, with the stage's text in it. */
import type { AstStage } from '../../grammar/ast.ts'
import { printStage } from '../../grammar/index.ts'
import type { TableOp } from '../logical/ops.ts'
import type { LowerContext } from './stage.ts'

export function tableOp(
  stage: AstStage,
  cx: LowerContext,
  parts: Pick<TableOp, 'call' | 'inputs' | 'reads' | 'passes' | 'makes'>,
): TableOp {
  return { kind: 'table', origin: stage.span, input: cx.input, text: printStage(stage), ...parts }
}
