/** ESTree to text with astring, and the source map that leads from a line of a kernel to the place in the query it came from. */
import { generate } from 'astring'
import type { Node } from 'estree'

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

interface Mapping {
  readonly original: { readonly line: number; readonly column: number } | null
  readonly generated: { readonly line: number; readonly column: number }
}

export function printJs(node: Node, comments: boolean): string {
  return generate(node, { indent: '  ', comments })
}

/** Text and map (JSON, version 3). Nodes that carry `loc` are mapped to `query`, whose text travels inside the map. */
export function printJsWithMap(node: Node, query: string): { readonly text: string; readonly map: string } {
  const mappings: Mapping[] = []
  const sourceMap = {
    file: 'kernel.js',
    addMapping(mapping: Mapping) {
      if (mapping.original !== null) mappings.push(mapping)
    },
  }
  // astring's types ask for the `source-map` package's generator; it calls nothing but `addMapping`.
  const text = generate(node, { indent: '  ', comments: true, sourceMap: sourceMap as never })
  const map = {
    version: 3,
    file: 'kernel.js',
    sources: ['query'],
    sourcesContent: [query],
    names: [],
    mappings: encodeMappings(mappings),
  }
  return { text, map: JSON.stringify(map) }
}

function encodeMappings(mappings: readonly Mapping[]): string {
  const lines: string[][] = []
  let originalLine = 0
  let originalColumn = 0
  let generatedColumn = 0
  let currentLine = -1
  for (const { original, generated } of mappings) {
    if (original === null) continue
    const lineIndex = generated.line - 1
    if (lineIndex !== currentLine) {
      currentLine = lineIndex
      generatedColumn = 0
    }
    while (lines.length <= lineIndex) lines.push([])
    lines[lineIndex]!.push(
      vlq(generated.column - generatedColumn) +
        vlq(0) +
        vlq(original.line - 1 - originalLine) +
        vlq(original.column - originalColumn),
    )
    generatedColumn = generated.column
    originalLine = original.line - 1
    originalColumn = original.column
  }
  return lines.map(segments => segments.join(',')).join(';')
}

/** Base-64 variable-length quantity, sign in the lowest bit. */
function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += BASE64[rest > 0 ? digit | 32 : digit]
  } while (rest > 0)
  return text
}
