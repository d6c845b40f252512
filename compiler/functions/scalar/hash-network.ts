/** Digests and IP addresses. */
import { isCidr } from '../../../runtime/helpers/network.ts'
import type { ScalarFunction } from '../descriptor.ts'
import { param, scalarsOf } from './build.ts'

const hash = scalarsOf('hash')
const network = scalarsOf('network')
const X = [param('x', 'any', 'Any value; its text is hashed.')]
const ADDRESS = param('ip', 'string', 'An IPv4 or IPv6 address.')

const md5 = hash({
  name: 'md5',
  helper: 'md5',
  foreign: ['hash_md5'],
  parameters: X,
  summary: 'The MD5 digest of the text, in hex.',
  examples: [['md5("a")', '"0cc175b9c0f1b6a831c399e269772661"']],
  result: 'string',
})

const sha1 = hash({
  name: 'sha1',
  helper: 'sha1',
  foreign: ['hash_sha1'],
  parameters: X,
  summary: 'The SHA-1 digest of the text, in hex.',
  examples: [['sha1("a")', '"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"']],
  result: 'string',
})

const sha256 = hash({
  name: 'sha256',
  helper: 'sha256',
  foreign: ['hash_sha256', 'sha2'],
  parameters: X,
  summary: 'The SHA-256 digest of the text, in hex.',
  examples: [['sha256("a")', '"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"']],
  result: 'string',
})

const xxhash64 = hash({
  name: 'xxhash64',
  helper: 'xxhash64',
  foreign: ['hash', 'hash_xxhash64'],
  parameters: X,
  summary: 'The XXH64 hash of the text, in hex: the quick one, not for secrets.',
  examples: [['xxhash64("a")', '"d24ec4f1a98c6e5b"']],
  result: 'string',
})

const cidrMatch = network({
  name: 'cidr_match',
  helper: 'cidrMatch',
  foreign: ['cidrmatch', 'ipv4_is_in_range', 'ipv4_range', 'cidr_contains'],
  parameters: [ADDRESS, param('cidr', 'string', 'A network: `10.0.0.0/8`, `fd00::/8`.')],
  summary: 'Whether the address lies in the network; null when it is no address.',
  examples: [
    ['cidr_match("10.1.2.3", "10.0.0.0/8")', 'true'],
    ['cidr_match("2001:db8::1", "2001:db8::/32")', 'true'],
    ['cidr_match("host", "10.0.0.0/8")', 'null'],
  ],
  result: 'bool',
  check: ([address, cidr]) => {
    if (typeof address === 'string' && address.includes('/') && isCidr(address)) {
      return { problem: 'the address comes first, and the network second', argument: 0 }
    }
    return typeof cidr === 'string' && !isCidr(cidr)
      ? { problem: `${JSON.stringify(cidr)} is no network`, argument: 1, suggestion: '10.0.0.0/8' }
      : null
  },
})

const isPrivateIp = network({
  name: 'is_private_ip',
  helper: 'isPrivateIp',
  foreign: ['ipv4_is_private'],
  parameters: [ADDRESS],
  summary: 'Whether the address is of a private, loopback, link-local or carrier network; null when it is no address.',
  examples: [
    ['is_private_ip("192.168.1.7")', 'true'],
    ['is_private_ip("8.8.8.8")', 'false'],
    ['is_private_ip("::ffff:10.0.0.1")', 'true'],
  ],
  result: 'bool',
})

const ipMask = network({
  name: 'ipmask',
  helper: 'ipMask',
  foreign: ['format_ipv4_mask', 'ip_mask'],
  parameters: [ADDRESS, param('prefix', 'int', 'How many bits to keep.')],
  summary: 'The network an address belongs to.',
  examples: [
    ['ipmask("10.1.2.3", 16)', '"10.1.0.0"'],
    ['ipmask("2001:db8::1:2", 64)', '"2001:db8::"'],
  ],
  result: 'string',
})

const ipParse = network({
  name: 'ip_parse',
  helper: 'ipParse',
  foreign: ['parse_ipv4', 'parse_ipv6'],
  parameters: [ADDRESS],
  summary: 'The address in canonical form, its version, and whether it is private; null when it is no address.',
  examples: [['ip_parse("2001:DB8:0:0::1")', '{"address":"2001:db8::1","version":6,"private":false}']],
  result: 'object',
})

export const HASHES: readonly ScalarFunction[] = [md5, sha1, sha256, xxhash64]
export const NETWORKS: readonly ScalarFunction[] = [cidrMatch, isPrivateIp, ipMask, ipParse]
