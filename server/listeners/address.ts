/** Addresses to listen on, as settings write them: `off`, `4318`, `:4318`, `0.0.0.0:514`, `[::1]:514`. */
import type { AddressInfo, Server } from 'node:net'
import { ConfigError } from '../config.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** @returns null when it is off. @throws {ConfigError} naming the setting */
export function parseAddress(name: string, text: string, defaultHost: string): Address | null {
  if (text === 'off' || text === '') return null
  const match = /^(?:(?:\[([^\]]+)\]|([^:]*)):)?(\d{1,5})$/.exec(text.trim())
  const port = Number(match?.[3])
  if (match === null || port > 65_535)
    throw new ConfigError(`${name} must be an address such as 0.0.0.0:514 or :514, or off, not ${JSON.stringify(text)}`)
  return { host: match[1] || match[2] || defaultHost, port }
}

export function printAddress({ address, port }: { readonly address: string; readonly port: number }): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** Settles once connections are taken, with the port that was chosen where 0 was asked for. */
export function listen(server: Server, { host, port }: Address): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}
