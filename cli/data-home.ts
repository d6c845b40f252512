/** Where things live when the user does not say. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** `$XDG_DATA_HOME/quern`, usually `~/.local/share/quern`. */
export function dataHome(): string {
  const base = process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share')
  return join(base, 'quern')
}

export const DEFAULT_PORT = 3100

export function defaultServer(): string {
  return process.env.QUERN_SERVER || `http://127.0.0.1:${DEFAULT_PORT}`
}
