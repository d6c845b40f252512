/**
 * A small shop under load, with an incident to find: every few minutes the payments database runs out of connections,
 * checkout starts to fail, latency climbs, and a retry storm follows. Seeded, so that the same second tells the same story.
 */

export interface DemoEvent {
  readonly timestamp: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly service: string
  readonly host: string
  readonly message: string
  readonly [field: string]: unknown
}

/** Uniform numbers in [0, 1): mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const INCIDENT_EVERY_SECONDS = 300
const INCIDENT_SECONDS = 60
const ROUTES = [
  ['gateway', 'GET', '/', 12],
  ['catalog', 'GET', '/api/products', 35],
  ['catalog', 'GET', '/api/products/{id}', 18],
  ['cart', 'POST', '/api/cart', 25],
  ['checkout', 'POST', '/api/checkout', 140],
  ['payments', 'POST', '/internal/charge', 95],
  ['auth', 'POST', '/api/login', 60],
] as const

/** @param second  seconds since the epoch; the incident follows from it alone */
export function isIncident(second: number): boolean {
  return second % INCIDENT_EVERY_SECONDS >= INCIDENT_EVERY_SECONDS - INCIDENT_SECONDS
}

export function demoEvent(random: () => number, timeMs: number): DemoEvent {
  const incident = isIncident(Math.floor(timeMs / 1000))
  const [service, method, path, typicalMs] = ROUTES[Math.floor(random() ** 1.4 * ROUTES.length)]!
  const isHit = incident && (service === 'payments' || service === 'checkout')
  // Latency is log-normal-ish: most requests are near typical, a few far above.
  const spread = Math.exp((random() + random() + random() - 1.5) * 1.6)
  const durationMs = Math.round(typicalMs * spread * (isHit ? 14 : 1) * 100) / 100
  const fails = random() < (isHit ? 0.45 : 0.004)
  const status = fails ? (service === 'payments' ? 503 : 502) : random() < 0.03 ? 404 : method === 'POST' ? 201 : 200
  const common = {
    timestamp: new Date(timeMs).toISOString(),
    level: fails ? 'error' : status === 404 || isHit ? 'warn' : 'info',
    service,
    host: `${service}-${1 + Math.floor(random() * 3)}`,
    method,
    path,
    status,
    duration_ms: durationMs,
    user: `u${Math.floor(random() ** 3 * 20_000)}`,
    trace_id: Array.from({ length: 4 }, () =>
      Math.floor(random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, '0'),
    ).join(''),
  } as const
  return { ...common, message: messageOf(common, isHit, fails, random) }
}

function messageOf(
  event: {
    readonly service: string
    readonly method: string
    readonly path: string
    readonly status: number
    readonly duration_ms: number
  },
  isHit: boolean,
  fails: boolean,
  random: () => number,
): string {
  if (fails && event.service === 'payments')
    return `connection pool exhausted: waited ${Math.round(event.duration_ms)}ms for one of 20 connections to payments-db`
  if (fails && isHit) return `upstream payments returned 503 after ${1 + Math.floor(random() * 3)} retries`
  if (fails) return `upstream timed out after ${Math.round(event.duration_ms)}ms`
  if (isHit) return `slow upstream: ${event.method} ${event.path} took ${event.duration_ms}ms`
  return `${event.method} ${event.path} ${event.status} in ${event.duration_ms}ms`
}
