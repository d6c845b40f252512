/** The formats of parse. To add one: its file, one line here, one in `ParseFormat`. */
import type { ParseFormat } from '../../grammar/ast.ts'
import type { FormatSpec } from '../program.ts'
import { clf, combined } from './access.ts'
import { apacheError } from './apache-error.ts'
import { pattern, regex } from './captures.ts'
import { auto, firstOf } from './choice.ts'
import { cri, docker } from './containers.ts'
import { csv } from './csv.ts'
import type { FormatDescriptor, FormatProblem } from './descriptor.ts'
import type { Extractor } from './extractor.ts'
import { grok } from './grok.ts'
import { haproxy } from './haproxy.ts'
import { javaStack } from './java-stack.ts'
import { json } from './json.ts'
import { klog } from './klog.ts'
import { mysqlSlow } from './mysql-slow.ts'
import { nginxError } from './nginx-error.ts'
import { kv, logfmt } from './pairs.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'
import { cef, leef } from './security.ts'
import { syslog } from './syslog.ts'
import { w3c } from './w3c.ts'

export type { FieldDoc, FormatDescriptor, FormatProblem } from './descriptor.ts'

export const FORMATS: Readonly<Record<ParseFormat, FormatDescriptor>> = {
  auto,
  first_of: firstOf(createExtractor),
  json,
  logfmt,
  kv,
  csv,
  syslog,
  clf,
  combined,
  nginx_error: nginxError,
  apache_error: apacheError,
  haproxy,
  w3c,
  cef,
  leef,
  docker,
  cri,
  klog,
  redis,
  postgres,
  mysql_slow: mysqlSlow,
  java_stack: javaStack,
  pattern,
  grok,
  regex,
}

/** @throws {Error} when the format has a problem with its arguments: the compiler asks first. */
export function createExtractor(spec: FormatSpec): Extractor {
  return FORMATS[spec.format].create(spec)
}

/** What is wrong with the arguments of a format. */
export function formatProblems(spec: FormatSpec): readonly FormatProblem[] {
  return FORMATS[spec.format].problems?.(spec) ?? []
}
