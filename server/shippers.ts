/** Who sends events, by address and user agent: remembered while the server runs. */

export interface Shipper {
  readonly tool: string
  readonly version: string | null
  readonly remote_ip: string
  readonly user_agent: string
  endpoint: string
  lastSeenMs: number
  /** Events of the current minute and of the one before. */
  minute: number
  current: number
  previous: number
}

const SHIPPERS_MAX = 1000
/** Silent for longer: not active. */
const ACTIVE_MS = 5 * 60_000
const MINUTE_MS = 60_000

export class Shippers {
  readonly #known = new Map<string, Shipper>()
  readonly #clock: () => number

  constructor(clock: () => number = Date.now) {
    this.#clock = clock
  }

  /** A request that brought events, or asked on the way to it. */
  seen(remoteIp: string, userAgent: string | undefined, endpoint: string, events: number): void {
    const agent = userAgent?.slice(0, 200) ?? ''
    const key = `${remoteIp} ${agent}`
    const now = this.#clock()
    let shipper = this.#known.get(key)
    if (shipper === undefined) {
      if (this.#known.size >= SHIPPERS_MAX) this.#forget()
      shipper = {
        ...toolOf(agent),
        remote_ip: remoteIp,
        user_agent: agent,
        endpoint,
        lastSeenMs: now,
        minute: 0,
        current: 0,
        previous: 0,
      }
      this.#known.set(key, shipper)
    }
    this.#turn(shipper, now)
    shipper.lastSeenMs = now
    shipper.current += events
    if (events > 0) shipper.endpoint = endpoint
  }

  /** Last seen first. */
  list(): readonly Record<string, unknown>[] {
    const now = this.#clock()
    return [...this.#known.values()]
      .sort((a, b) => b.lastSeenMs - a.lastSeenMs)
      .map(shipper => {
        this.#turn(shipper, now)
        const { tool, version, endpoint, remote_ip, user_agent, lastSeenMs } = shipper
        return {
          tool,
          version,
          status: now - lastSeenMs <= ACTIVE_MS ? 'active' : 'silent',
          last_seen_at: new Date(lastSeenMs).toISOString(),
          events_per_min: Math.max(shipper.current, shipper.previous),
          endpoint,
          remote_ip,
          user_agent,
        }
      })
  }

  #turn(shipper: Shipper, now: number): void {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute === shipper.minute) return
    shipper.previous = minute === shipper.minute + 1 ? shipper.current : 0
    shipper.current = 0
    shipper.minute = minute
  }

  #forget(): void {
    const [oldest] = [...this.#known].sort(([, a], [, b]) => a.lastSeenMs - b.lastSeenMs)
    if (oldest !== undefined) this.#known.delete(oldest[0])
  }
}

/** `Filebeat/8.1.0 (…)`, `elasticsearch-js/8.9.0 (…)`, `OTel-OTLP-Exporter-JavaScript/0.223.1`. */
function toolOf(agent: string): { readonly tool: string; readonly version: string | null } {
  const match = /^([A-Za-z][\w.+-]*)(?:[/ ]v?(\d[\w.+-]*))?/.exec(agent)
  return { tool: match?.[1]?.toLowerCase() ?? 'unknown', version: match?.[2] ?? null }
}
