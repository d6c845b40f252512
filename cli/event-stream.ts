/** Server-sent events of a server, one by one. */
import { type ClientOptions, request } from './client.ts'

export interface ServerEvent {
  readonly event: string
  readonly data: string
  readonly id: string | null
}

export async function* serverEvents(
  path: string,
  options: ClientOptions,
  headers: Readonly<Record<string, string>> = {},
): AsyncGenerator<ServerEvent> {
  const response = await request(path, { headers: { ...headers, accept: 'text/event-stream' } }, options)
  if (response.body === null) return
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(fieldOf))
      text = text.slice(end + 2)
      const data = fields.get('data')
      if (data !== undefined) yield { event: fields.get('event') ?? 'message', data, id: fields.get('id') ?? null }
    }
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}
