/**
 * `node cli/launch.mjs <bytes> …` is `node …` with glibc told to give buffers of so many bytes and more back when they are freed. `npm start` begins
 * with it.
 *
 * Once a large buffer has been freed, glibc takes those that follow from its heap, up to 32 MB each, and a heap only shrinks from its end: a server
 * that has taken events and is at rest keeps hundreds of megabytes that nobody uses. The limit stays where it is when it is named, which only the
 * environment of a new process can do. A minute after 500,000 events by bulk, resident: 277 MiB, from 128 KiB on 150. The questions of the bench
 * over 20 M events, at the peak: 1,156 MiB, from 512 KiB on 939. It costs where a query makes large buffers, which the system zeroes each time: from
 * 64 KiB on p95 took a tenth more; so the bench, which is about time, goes without. Other libraries of C ignore the names.
 */
import { spawn } from 'node:child_process'

const [bytes, ...args] = process.argv.slice(2)
const malloc = { MALLOC_MMAP_THRESHOLD_: bytes, MALLOC_TRIM_THRESHOLD_: bytes, MALLOC_ARENA_MAX: '2' }
const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...malloc, ...process.env } })
// Ctrl-C reaches both, and a second one would cut the server's waiting short.
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 1
  if (signal !== null) process.kill(process.pid, signal)
})
