/** Where in the TypeScript an error of ours came from. Chunks have maps, which are read when there is something to tell and not before. */
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g

/** The stack with places of the source in it, relative to the working directory, where a map knows them; other lines as they are. */
export function sourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | null>()
  return stack.replace(PLACE, (place, url: string, line: string, column: string) => {
    let map = maps.get(url)
    if (map === undefined) maps.set(url, (map = readMap(fileURLToPath(url))))
    // Stacks count from one, maps from zero.
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return place
    const source = resolve(dirname(fileURLToPath(url)), entry.originalSource)
    return `${relative('.', source)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload)
  } catch {
    // A package may come without maps; the place in the chunk is still one.
    return null
  }
}
