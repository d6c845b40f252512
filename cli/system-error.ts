/** What the system refused, without a stack: the world is to blame, and the path says where. */

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** `no such file or directory`, of `ENOENT: no such file or directory, open 'app.log'`; any other error in its own words. */
export function reasonOf(error: Error): string {
  return /^[A-Z0-9]+: (.+?), \w+(?: '.*')?$/s.exec(error.message)?.[1] ?? error.message
}
