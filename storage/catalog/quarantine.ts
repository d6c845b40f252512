/** Parts that cannot be served: moved aside with the reason beside them, and reported until someone takes the reason away. */
import type { Filesystem } from '../filesystem.ts'
import type { Quarantined } from '../index.ts'

export class Quarantine {
  private readonly filesystem: Filesystem
  private readonly directory: string
  private readonly clock: () => number
  private readonly found: Quarantined[] = []

  constructor(filesystem: Filesystem, directory: string, clock: () => number) {
    this.filesystem = filesystem
    this.directory = directory
    this.clock = clock
    filesystem.mkdir(directory)
    for (const name of filesystem.readdir(directory).sort()) {
      const report = name.endsWith('.json') ? this.readReport(`${directory}/${name}`) : null
      if (report !== null) this.found.push(report)
    }
  }

  get list(): readonly Quarantined[] {
    return this.found
  }

  /** For what is not there to be moved. */
  report(part: string, reason: string): Quarantined {
    const report = { part, reason, at: new Date(this.clock()).toISOString() }
    this.found.push(report)
    return report
  }

  /** Reports, then moves: a disk that cannot take the file away must not hide the damage. */
  move(part: string, file: string, reason: string): Quarantined {
    const report = this.report(part, reason)
    try {
      this.filesystem.rename(file, `${this.directory}/${part}.part`)
      this.writeReport(`${this.directory}/${part}.json`, report)
      this.filesystem.fsyncDirectory(this.directory)
    } catch {
      // Reported in this run; the next start meets the same part again.
    }
    return report
  }

  private writeReport(file: string, report: Quarantined): void {
    const bytes = Buffer.from(`${JSON.stringify(report)}\n`)
    const fd = this.filesystem.open(file, 'w')
    try {
      this.filesystem.write(fd, bytes, 0, bytes.length, 0)
      this.filesystem.fsync(fd)
    } finally {
      this.filesystem.close(fd)
    }
  }

  private readReport(file: string): Quarantined | null {
    try {
      const bytes = new Uint8Array(this.filesystem.sizeOf(file))
      const fd = this.filesystem.open(file, 'r')
      try {
        this.filesystem.read(fd, bytes, 0, bytes.length, 0)
      } finally {
        this.filesystem.close(fd)
      }
      const { part, reason, at } = JSON.parse(Buffer.from(bytes).toString()) as Quarantined
      return { part: String(part), reason: String(reason), at: String(at) }
    } catch {
      return null
    }
  }
}
