/** join and lookup: fields of other rows beside these. */
import { lowerJoin } from '../resolve/join.ts'
import type { Stage } from './stage.ts'

export const join: Stage<'join'> = {
  kind: 'join',
  doc: {
    summary:
      'Rows of another pipeline beside these, where the fields after `on` are equal; each match is a row. Types: inner (the default), left (rows without a match stay), outer (those of the other side too), semi (rows that have a match), anti (rows that have none). Null and missing match nothing; 1 and "1" do not match. The fields of the other side come with their names; where a row has a field of that name, it gets `_right` after it, and with `as d` all of them begin with `d.`. The other side is held; where statistics say that these rows are the fewer, they are read first, and of the other side only what can match. What does not fit into memory goes to temporary files.',
    examples: [
      {
        query:
          'where kind == "request" | join on id with [where kind == "response"] as response | keep id, path, response.ms',
        input:
          '{"kind":"request","id":1,"path":"/a"}\n{"kind":"request","id":2,"path":"/b"}\n{"kind":"response","id":1,"ms":12}',
        output: '{"id":1,"path":"/a","response.ms":12}',
      },
      {
        query:
          'let $banned = where kind == "ban" | keep user; where kind == "login" | join type=anti on user with $banned | keep user',
        input: '{"kind":"login","user":"ann"}\n{"kind":"login","user":"bob"}\n{"kind":"ban","user":"bob"}',
        output: '{"user":"ann"}',
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower: (stage, cx) =>
    lowerJoin(cx.rowsOf(stage.with), { type: stage.type ?? 'inner', on: stage.on, as: stage.as }, stage.span, cx),
}

export const lookup: Stage<'lookup'> = {
  kind: 'lookup',
  doc: {
    summary:
      'Columns of a lookup table beside the rows it knows: `join type=left … with lookup name`. A table is a CSV or NDJSON file `lookups/<name>.csv` of the data directory, `--lookup name=file` of the command line, or `lookups` of `open`.',
    examples: [
      {
        query: 'lookup users on uid == id as user | keep uid, user.name',
        input: '{"uid":1}\n{"uid":2}',
        lookups: { users: 'id,name\n1,ann' },
        output: '{"uid":1,"user.name":"ann"}\n{"uid":2}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower: (stage, cx) => lowerJoin(cx.rowsOf(stage.table), { type: 'left', on: stage.on, as: stage.as }, stage.span, cx),
}
