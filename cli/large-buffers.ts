/** How the allocator of a server's process is told to treat buffers. A library that others load does not: the process is theirs. */
import { malloc } from '../storage/malloc.ts'

/**
 * Buffers of so many bytes go back to the system when they are freed. A minute after two million events by bulk, resident: 520 to 570 MiB as glibc has
 * it, 207 to 274 with this alone, 143 with only what is given back at rest (`server/idle.ts`), which does not reach the ends of threads' heaps.
 */
const GIVEN_BACK_BYTES = 128 * 1024

export function giveBackLargeBuffers(): void {
  malloc().giveBackFrom(GIVEN_BACK_BYTES)
}
