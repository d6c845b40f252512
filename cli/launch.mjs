/**
 * `node cli/launch.mjs …` is `node …` with glibc told to give back what is freed; `npm start` and `npm run bench` begin with it.
 *
 * Once a large buffer has been freed, glibc takes those that follow from its heap, up to 32 MB each, and a heap only shrinks from its end: a server
 * that has taken events and is at rest keeps hundreds of megabytes that nobody uses. The limit stays at what it is at first when it is named, which
 * only the environment of a new process can. It costs 0 to 3 % of the time. A minute after 500,000 events by bulk: 230 MiB besides the program's file → 63; the questions of the bench over 20 M events:
 * 1,156 MiB at the peak → 884. Other libraries of C ignore the names.
 */
import { spawn } from 'node:child_process'

const MALLOC = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_ARENA_MAX: '2',
}

const child = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit', env: { ...MALLOC, ...process.env } })
// Ctrl-C reaches both, and a second one would cut the server's waiting short.
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 1
  if (signal !== null) process.kill(process.pid, signal)
})
