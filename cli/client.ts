/** Talks to a running server; turns its errors into exit codes. */
import { CommandError, EXIT } from './exit-codes.ts'

export interface ClientOptions {
  readonly server: string
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export async function request(path: string, init: RequestInit, options: ClientOptions): Promise<Response> {
  const headers = new Headers(init.headers)
  if (options.token) headers.set('authorization', `Bearer ${options.token}`)
  let response: Response
  try {
    response = await fetch(new URL(path, options.server), { ...init, headers, signal: options.signal ?? null })
  } catch (error) {
    if (options.signal?.aborted) throw new CommandError(EXIT.interrupted, 'interrupted')
    const cause = (error as Error & { cause?: { code?: string; message?: string } }).cause
    throw new CommandError(
      EXIT.connection,
      `cannot reach ${options.server} (${cause?.code ?? cause?.message ?? (error as Error).message}); ` +
        `start one with 'quern server', name another with --server, or read files with --file`,
    )
  }
  if (response.ok) return response
  throw await toCommandError(response)
}

async function toCommandError(response: Response): Promise<CommandError> {
  const text = await response.text()
  const error = parseError(text)
  const message = error === null ? `${response.status} ${response.statusText}: ${text.slice(0, 400)}` : describe(error)
  return new CommandError(exitCodeFor(response.status, error?.code), message)
}

interface ServerError {
  readonly code?: string
  readonly message?: string
  readonly suggestion?: string
  /** Of a query the whole text, corrected. */
  readonly fix?: string
  readonly errors?: readonly { readonly frame?: string; readonly code: string; readonly message: string }[]
}

function parseError(text: string): ServerError | null {
  try {
    const body: unknown = JSON.parse(text)
    const error = (body as { error?: unknown } | null)?.error
    // What a live tail cannot do is told as a plain string.
    if (typeof error === 'string') return { code: 'UNSUPPORTED_STAGE', message: error }
    return typeof error === 'object' && error !== null ? (error as ServerError) : null
  } catch {
    // Not JSON: a proxy's page, shown as it is.
    return null
  }
}

function describe(error: ServerError): string {
  const lines = (error.errors ?? []).map(e => e.frame ?? `${e.code}: ${e.message}`)
  if (lines.length === 0) lines.push(`${error.code ?? 'error'}: ${error.message ?? ''}`)
  const isQuery = error.code === 'INVALID_QUERY'
  const instead = isQuery ? error.fix : error.suggestion
  if (instead) lines.push(`try: ${instead}`)
  return lines.join('\n')
}

function exitCodeFor(status: number, code: string | undefined): (typeof EXIT)[keyof typeof EXIT] {
  if (code === 'INVALID_QUERY') return EXIT.queryParse
  if (code === 'QUERY_TIMEOUT' || status === 504) return EXIT.queryTimeout
  if (status === 401 || status === 403) return EXIT.authentication
  if (status === 400 || status === 422) return EXIT.usage
  return EXIT.general
}
