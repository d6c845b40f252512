/** One status line on stderr for work that takes long, only when stderr is a terminal. */

export interface Progress {
  update(text: string): void
  end(): void
}

const QUIET_MS = 500
const EVERY_MS = 200

export function startProgress(enabled = process.stderr.isTTY === true): Progress {
  if (!enabled) return { update: () => {}, end: () => {} }
  const startedMs = Date.now()
  let shownMs = 0
  return {
    update(text) {
      const now = Date.now()
      if (now - startedMs < QUIET_MS || now - shownMs < EVERY_MS) return
      shownMs = now
      process.stderr.write(`\r\x1b[2K${text}`)
    },
    end() {
      if (shownMs > 0) process.stderr.write('\r\x1b[2K')
    },
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
