import type { Stage } from './stage.ts'
import { tableOp } from './table.ts'

export const tee: Stage<'tee'> = {
  kind: 'tee',
  doc: {
    summary:
      'Writes every row that comes to it to a file, one JSON object a line, and passes it on. The file is replaced. Only the command line does this; a server refuses it.',
    examples: [
      {
        query: 'where level == "error" | tee "/tmp/errors.ndjson" | stats count()',
        input: '{"level":"error"}\n{"level":"info"}\n{"level":"error"}',
        output: '{"count()":2}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'merged',
  lower(stage, cx) {
    const { path, pathSpan, span } = stage
    if (!cx.writesFiles) {
      cx.report({ code: 'E403', message: 'tee writes a file, which only quern query on the command line does', span })
    } else if (cx.isInner) {
      const message = 'tee stands in the query itself, not in a let or in brackets: those may run more than once'
      cx.report({ code: 'E401', message, span })
    } else if (!path.startsWith('/') && !/^[A-Za-z]:[\\/]/.test(path)) {
      cx.report({ code: 'E206', message: 'tee takes the whole path of the file, from / on', span: pathSpan })
    }
    return {
      op: tableOp(stage, cx, {
        call: { name: 'tee', options: { path } },
        inputs: [],
        reads: null,
        passes: true,
        makes: [],
      }),
      scope: cx.scope,
    }
  },
}
