/**
 * The server on a port, and its end: on SIGINT or SIGTERM nothing new begins, what runs may finish within the grace period, and the
 * engine writes what it holds before the process may go. A second signal cuts the waiting short.
 */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Engine } from '../engine.ts'
import { malloc } from '../storage/malloc.ts'
import { collectForPassing } from '../storage/nice.ts'
import { serveOthers } from '../storage/turns.ts'
import { serveContext } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { Connections } from './connections.ts'
import { createContext, type ServerContext } from './context.ts'
import { collectWhenIdle } from './idle.ts'
import { type RunningListeners, startListeners, stopListeners } from './listeners/index.ts'
import { tlsSettings } from './tls.ts'

export interface RunningServer {
  /** `http://127.0.0.1:3100` */
  readonly url: string
  /** The first root key, made at this start: shown once, stored nowhere. */
  readonly rootToken: string | null
  /** By the setting that names their address. */
  readonly listeners: RunningListeners
  /** Settles when the server has stopped and the engine is closed. */
  readonly closed: Promise<void>
  /** What a signal does. */
  stop(): void
}

/** @throws {ConfigError} when it cannot listen where it is told to; the engine stays open */
export async function listen(engine: Engine, config: Config): Promise<RunningServer> {
  serveOthers()
  collectForPassing()
  const context = createContext(engine, config)
  const created = (await context.authority?.keys.bootstrap()) ?? null
  const tls = tlsSettings(config, 'http')
  const app = serveContext(context, { tls })
  const connections = new Connections(app.server)
  const { absent } = malloc()
  if (absent !== null) app.log.debug({ reason: absent }, 'freed memory may stay with the process')
  await listenOn(app, config.get('host'), config.get('port'))
  const listeners = await startListeners(context, app.log).catch(async error => {
    await app.close()
    throw error
  })
  let stop = () => {}
  const stopped = new Promise<void>(resolve => {
    let isStopping = false
    stop = () => {
      if (isStopping) connections.destroyAll()
      isStopping = true
      resolve()
    }
  })
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const reload = (): void => reloadConfig(context)
  process.on('SIGHUP', reload)
  const stopCollecting = collectWhenIdle()
  const closed = stopped
    .then(() => {
      const graceMs = config.get('shutdown_grace')
      return Promise.all([drain(app, connections, graceMs), stopListeners(listeners, graceMs)])
    })
    .then(() => engine.close())
    .finally(() => {
      stopCollecting()
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      process.off('SIGHUP', reload)
    })
  return {
    url: urlOf(app, tls === null ? 'http' : 'https'),
    rootToken: created?.token ?? null,
    listeners,
    closed,
    stop,
  }
}

async function listenOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ port, host })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    await app.close()
    if (code === undefined) throw error
    const reason =
      code === 'EADDRINUSE' ? 'another program does already; --port takes another' : (error as Error).message
    throw new ConfigError(`cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}: ${reason}`)
  }
}

/** SIGHUP: file and environment are read again. What is wrong with them is logged, and everything stays as it was. */
function reloadConfig({ config, log, onConfigChanged }: ServerContext): void {
  try {
    const { applied, restartRequired } = config.reload()
    onConfigChanged(applied)
    log.info({ applied, restart_required: restartRequired }, 'settings read again')
    if (restartRequired.length > 0) log.warn({ restart_required: restartRequired }, 'settings that need a restart')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log.error({ reason: error.message }, 'settings are as they were')
  }
}

async function drain(app: FastifyInstance, connections: Connections, graceMs: number): Promise<void> {
  const timer = setTimeout(() => connections.destroyAll(), graceMs)
  try {
    const closed = app.close()
    connections.stop()
    await closed
  } finally {
    clearTimeout(timer)
  }
}

function urlOf(app: FastifyInstance, scheme: 'http' | 'https'): string {
  const { address, port } = app.server.address() as AddressInfo
  // An unspecified address is one to listen on, not one to call.
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : address
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
