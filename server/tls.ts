/** Certificates of the listeners, as settings name them: three PEM files for each, read at the start. */
import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from './config.ts'

export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
  /** Whoever connects has to show a certificate of this authority. */
  readonly ca?: Buffer
}

/** For servers of `node:tls` and `node:https`. */
export interface TlsSettings extends TlsFiles {
  readonly handshakeTimeout: number
  readonly requestCert?: true
  readonly rejectUnauthorized?: true
}

/** A client that does not finish its handshake is let go. */
const HANDSHAKE_MS = 20_000

type TlsName = 'http' | 'otlp' | 'syslog'

/** @returns null when no certificate is named: the connections are plain. @throws {ConfigError} when a file is missing or unreadable */
export function tlsFiles(config: Config, name: TlsName): TlsFiles | null {
  const path = (file: 'cert' | 'key' | 'ca') => config.get(`${name}.tls_${file}`)
  if (path('cert') === '' && path('key') === '' && path('ca') === '') return null
  const read = (file: 'cert' | 'key' | 'ca'): Buffer => {
    const setting = `${name}.tls_${file}`
    if (path(file) === '') throw new ConfigError(`TLS needs ${setting}`)
    try {
      return readFileSync(path(file))
    } catch (error) {
      throw new ConfigError(`${setting}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { cert: read('cert'), key: read('key'), ...(path('ca') !== '' && { ca: read('ca') }) }
}

/** As `tlsFiles`. */
export function tlsSettings(config: Config, name: TlsName): TlsSettings | null {
  const files = tlsFiles(config, name)
  if (files === null) return null
  const showing = files.ca === undefined ? {} : ({ requestCert: true, rejectUnauthorized: true } as const)
  return { ...files, ...showing, handshakeTimeout: HANDSHAKE_MS }
}
