/** What the patterns of grok match and what they do not, by name; and that every one of them is usable and small enough to be quick. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GROK_PATTERNS } from '../../../runtime/formats/grok-patterns.ts'
import { createExtractor, formatProblems } from '../../../runtime/formats/index.ts'
import type { FormatSpec } from '../../../runtime/program.ts'

const grok = (pattern: string): FormatSpec => ({ format: 'grok', pattern, options: {}, alternatives: [] })

function matchesWhole(name: string, text: string): boolean {
  return createExtractor(grok(`^%{${name}:x}$`)).read(text) === null
}

const MATCHING: Readonly<Record<string, readonly string[]>> = {
  IPV4: ['10.0.0.1', '255.255.255.255'],
  IPV6: ['::', '::1', '1::', '1:2:3:4:5:6:7:8', 'fe80::1%eth0', '2001:db8::ff00:42:8329'],
  IP: ['::ffff:1.2.3.4', '64:ff9b::192.0.2.33', '1:2:3:4:5:6:1.2.3.4', '10.0.0.1'],
  MAC: ['00:1a:2b:3c:4d:5e', '00-1a-2b-3c-4d-5e', '001a.2b3c.4d5e'],
  HOSTNAME: ['a', 'web-1', 'a.b.c', 'example.com.'],
  HOSTPORT: ['example.com:80', '10.0.0.1:8080'],
  EMAILADDRESS: ['a.b+c@example.com'],
  USERNAME: ['ann', 'a.b-c_d'],
  INT: ['0', '-7', '+12'],
  NUMBER: ['1', '-1.5', '.5', '+3'],
  BASE16NUM: ['0xff', '-0xFF', 'ff'],
  WORD: ['abc_1'],
  QUOTEDSTRING: ['"a \\" b"', "'x'", '``'],
  UUID: ['123e4567-e89b-12d3-a456-426614174000'],
  URN: ['urn:isbn:0451450523'],
  UNIXPATH: ['/', '/usr/bin/x-1.2'],
  WINPATH: ['C:\\Windows\\x.exe', '\\\\server\\share'],
  TTY: ['/dev/pts/0', '/dev/tty1'],
  URI: ['http://a.b/c?d=e#f', 'https://u:p@h:80/', 'ftp://10.0.0.1'],
  URIPATHPARAM: ['/a/b?c=d&e=[f]'],
  MONTH: ['Jan', 'june', 'September'],
  DAY: ['Mon', 'Tuesday'],
  TIMESTAMP_ISO8601: ['2026-06-01T10:00:00.123Z', '2026-06-01 10:00:00,123', '2026-06-01T10:00+02:00'],
  HTTPDATE: ['10/Oct/2000:13:55:36 -0700'],
  SYSLOGTIMESTAMP: ['Jun  1 10:00:00', 'Jun 11 10:00:00'],
  DATESTAMP: ['06/01/26 10:00:00', '01.06.2026-10:00'],
  DATESTAMP_RFC822: ['Mon Aug 15 2005 15:52:01 UTC'],
  DATESTAMP_RFC2822: ['Mon, 15 Aug 2005 15:52:01 +0000'],
  DATESTAMP_OTHER: ['Mon Aug 15 15:52:01 UTC 2005'],
  DATESTAMP_EVENTLOG: ['20260601100000'],
  HTTPDERROR_DATE: ['Mon Dec 05 10:51:59 2005'],
  LOGLEVEL: ['INFO', 'warning', 'ERR', 'Fatal', 'emergency'],
  SYSLOGPROG: ['sshd[1291]', 'kernel', 'postfix/smtpd[7]'],
  JAVACLASS: ['a.b.C$1', 'Main'],
  JAVASTACKTRACEPART: ['\tat a.b.C.<init>(C.java:7)', 'at a.B.c(Native Method)'],
  BOOL: ['true', 'False'],
}

const OTHER: Readonly<Record<string, readonly string[]>> = {
  IPV4: ['256.1.1.1', '1.2.3'],
  IPV6: ['10:00:00', '1.2.3.4', '00:1a:2b:3c:4d:5e', 'g::1', ':'],
  MAC: ['00:1a:2b:3c:4d'],
  UUID: ['123'],
  INT: ['1.5', ''],
  NUMBER: ['a', '1.'],
  LOGLEVEL: ['hello'],
  HTTPDATE: ['10/Foo/2000:13:55:36 -0700'],
  TIMESTAMP_ISO8601: ['2026-13-01T10:00:00', 'yesterday'],
  MONTH: ['Juno'],
}

describe('the patterns of grok', () => {
  it('match what they are called after', () => {
    for (const [name, texts] of Object.entries(MATCHING)) {
      for (const text of texts) assert.ok(matchesWhole(name, text), `${name} should match ${text}`)
    }
  })

  it('match nothing else', () => {
    for (const [name, texts] of Object.entries(OTHER)) {
      for (const text of texts) assert.ok(!matchesWhole(name, text), `${name} should not match ${text}`)
    }
  })

  it('are all usable, and refer to one another only by names there are', () => {
    for (const [name, pattern] of Object.entries(GROK_PATTERNS)) {
      assert.deepEqual(formatProblems(grok(`%{${name}:x}`)), [], name)
      for (const [, inner = ''] of pattern.matchAll(/%\{(\w+)/g)) assert.ok(inner in GROK_PATTERNS, `${name}: ${inner}`)
    }
    assert.ok(Object.keys(GROK_PATTERNS).length > 80)
  })
})
