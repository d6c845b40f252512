/**
 * May this syslog message come in? Without authentication every one may. With it, a message needs a key in its structured data, or comes
 * over a connection whose certificate was checked, or from an address that is trusted: plain syslog has no place for credentials.
 */
import { BlockList, isIP } from 'node:net'
import { ConfigError } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'

export class SyslogGate {
  readonly #context: ServerContext
  readonly #trusted: BlockList

  /** @throws {ConfigError} for a list of trusted addresses that is none */
  constructor(context: ServerContext) {
    this.#context = context
    this.#trusted = trustedList(context.config.get('syslog.trusted'))
  }

  /** What is true of everything from there. */
  trusts(peer: string, isCertified: boolean): boolean {
    if (this.#context.authority === null || isCertified) return true
    const address = peer.startsWith('::ffff:') ? peer.slice(7) : peer
    return this.#trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }

  admits(token: string | null): boolean {
    const { authority } = this.#context
    if (authority === null) return true
    if (token === null) return false
    try {
      authority.authorize({ authorization: undefined, token }, 'ingest')
      return true
    } catch (error) {
      if (error instanceof RequestError) return false
      throw error
    }
  }
}

function trustedList(text: string): BlockList {
  const list = new BlockList()
  for (const entry of text.split(',').map(each => each.trim())) {
    if (entry === '') continue
    const [address = '', bits] = entry.split('/')
    const version = isIP(address)
    const width = version === 6 ? 128 : 32
    if (version === 0 || (bits !== undefined && !(Number(bits) >= 0 && Number(bits) <= width)))
      throw new ConfigError(
        `syslog.trusted: ${JSON.stringify(entry)} is neither an address nor a network such as 10.0.0.0/8`,
      )
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}
