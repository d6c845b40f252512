/**
 * Calls of the server's routes, typed by its route table: a path that is not served, a parameter that is not taken or a field that is not
 * accepted does not compile. Types only: nothing of the server is loaded.
 */
import type { AnyRoute } from '../server/routes/index.ts'
import { type ClientOptions, request } from './client.ts'

type Method = AnyRoute['method']
type RouteOf<M extends Method, P extends string> = Extract<AnyRoute, { readonly method: M; readonly path: P }>
type TypesOf<R> = R extends { readonly types?: infer T } ? NonNullable<T> : never
type PathsOf<M extends Method> = Extract<AnyRoute, { readonly method: M }>['path']

export interface CallParts<Query, Body> {
  /** Values of `:name` in the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: { readonly [K in keyof Query]?: Query[K] | undefined }
  readonly body?: Body
}

type Parts<M extends Method, P extends string> =
  TypesOf<RouteOf<M, P>> extends { readonly query: infer Q; readonly body: infer B } ? CallParts<Q, B> : never

/** `data` of the answer. @throws {CommandError} with the exit code of what went wrong */
export async function call<M extends Method, P extends PathsOf<M> & string>(
  method: M,
  path: P,
  parts: Parts<M, P>,
  options: ClientOptions,
): Promise<unknown> {
  const { body } = parts as CallParts<unknown, unknown>
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await request(address(path, parts as CallParts<unknown, unknown>), init, options)
  const text = await response.text()
  return text === '' ? null : (JSON.parse(text) as { readonly data: unknown }).data
}

/** The same address, for answers that are streams. */
export function pathOf<P extends PathsOf<'GET'> & string>(path: P, parts: Parts<'GET', P>): string {
  return address(path, parts as CallParts<unknown, unknown>)
}

function address(path: string, { params = {}, query = {} }: CallParts<unknown, unknown>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}
