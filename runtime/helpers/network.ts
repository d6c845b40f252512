/** IP addresses, of both families, as numbers with a width: what CIDR tests and masks need. */
import type { Value } from '../../storage/value.ts'
import { toIndex } from './numbers.ts'

interface Address {
  readonly bits: bigint
  readonly width: 32 | 128
}

interface Block extends Address {
  readonly prefix: number
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

function parseIpv4(text: string): bigint | null {
  const match = IPV4.exec(text)
  if (match === null) return null
  let bits = 0n
  for (let i = 1; i <= 4; i++) {
    const octet = Number(match[i])
    if (octet > 255) return null
    bits = (bits << 8n) | BigInt(octet)
  }
  return bits
}

/** The groups of one side of `::`; the last may be a dotted IPv4 address. */
function groupsOf(text: string): bigint[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const groups: bigint[] = []
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as string
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`))
    else {
      const tail = i === parts.length - 1 ? parseIpv4(part) : null
      if (tail === null) return null
      groups.push(tail >> 16n, tail & 0xffffn)
    }
  }
  return groups
}

function parseIpv6(text: string): bigint | null {
  const sides = text.split('::')
  if (sides.length > 2) return null
  const head = groupsOf(sides[0] as string)
  const tail = sides.length === 2 ? groupsOf(sides[1] as string) : []
  if (head === null || tail === null) return null
  const gap = 8 - head.length - tail.length
  if (sides.length === 2 ? gap < 1 : gap !== 0) return null
  let bits = 0n
  for (const group of [...head, ...new Array<bigint>(gap).fill(0n), ...tail]) bits = (bits << 16n) | group
  return bits
}

/** An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`) is that IPv4 address. */
function parseAddress(text: string): Address | null {
  if (text.length > 64) return null
  if (!text.includes(':')) {
    const bits = parseIpv4(text)
    return bits === null ? null : { bits, width: 32 }
  }
  const bits = parseIpv6((text.split('%')[0] as string).replace(/^\[(.*)\]$/, '$1'))
  if (bits === null) return null
  return bits >> 32n === 0xffffn ? { bits: bits & 0xffffffffn, width: 32 } : { bits, width: 128 }
}

function parseBlock(text: string): Block | null {
  const slash = text.indexOf('/')
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash))
  if (address === null) return null
  const prefixText = slash < 0 ? String(address.width) : text.slice(slash + 1)
  const prefix = Number(prefixText)
  return /^\d{1,3}$/.test(prefixText) && prefix <= address.width ? { ...address, prefix } : null
}

const blocks = new Map<string, Block | null>()

function blockOf(text: string): Block | null {
  let block = blocks.get(text)
  if (block === undefined) {
    block = parseBlock(text)
    if (blocks.size >= 1024) blocks.clear()
    blocks.set(text, block)
  }
  return block
}

export function isCidr(text: string): boolean {
  return blockOf(text) !== null
}

function isWithin(address: Address, block: Block): boolean {
  if (address.width !== block.width) return false
  const shift = BigInt(block.width - block.prefix)
  return address.bits >> shift === block.bits >> shift
}

/** Null when either is no address; false for an address of the other family. */
function cidrMatch(address: Value, cidr: Value): Value {
  if (typeof address !== 'string' || typeof cidr !== 'string') return null
  const parsed = parseAddress(address)
  const block = blockOf(cidr)
  return parsed === null || block === null ? null : isWithin(parsed, block)
}

/** Private, loopback and link-local networks, and those of carriers. */
const PRIVATE = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
].map(text => parseBlock(text) as Block)

function isPrivateIp(address: Value): Value {
  const parsed = typeof address === 'string' ? parseAddress(address) : null
  return parsed === null ? null : PRIVATE.some(block => isWithin(parsed, block))
}

function printAddress({ bits, width }: Address): string {
  if (width === 32) return [24n, 16n, 8n, 0n].map(shift => String((bits >> shift) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  // RFC 5952: the longest run of two or more zero groups, the first of equals, is written `::`.
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (start + length < 8 && groups[start + length] === '0') length++
    if (length > best.length) best = { start, length }
  }
  if (best.start < 0) return groups.join(':')
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`
}

/** The network an address belongs to: `ipmask("10.1.2.3", 24)` is `10.1.2.0`. */
function ipMask(address: Value, prefix: Value): Value {
  const parsed = typeof address === 'string' ? parseAddress(address) : null
  const kept = toIndex(prefix)
  if (parsed === null || kept === null || kept < 0 || kept > parsed.width) return null
  const shift = BigInt(parsed.width - kept)
  return printAddress({ bits: (parsed.bits >> shift) << shift, width: parsed.width })
}

/** The canonical text, the family and whether it is private; null when it is no address. */
function ipParse(address: Value): Value {
  const parsed = typeof address === 'string' ? parseAddress(address) : null
  if (parsed === null) return null
  return {
    address: printAddress(parsed),
    version: parsed.width === 32 ? 4 : 6,
    private: PRIVATE.some(block => isWithin(parsed, block)),
  }
}

export const NETWORK_HELPERS = { cidrMatch, isPrivateIp, ipMask, ipParse }
