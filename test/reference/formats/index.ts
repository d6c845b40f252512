/**
 * The formats of `parse`, each by the plainest regular expression that reads what people write. Slow on hostile texts, and right
 * about real ones.
 */
import type { AstFormat } from '../../../grammar/ast.ts'
import { FORMATS } from '../../../runtime/formats/index.ts'
import type { Value } from '../../../storage/value.ts'
import { readAuto } from './auto.ts'
import { readGrok } from './grok.ts'
import { readCsv, readJson, readKv, readLogfmt, readPattern, readRegex } from './layouts.ts'
import { readCef, readLeef } from './security.ts'
import { readCri, readDocker, readJavaStack, readKlog, readMysqlSlow, readPostgres, readRedis } from './servers.ts'
import { readSyslog } from './syslog.ts'
import { type Found, isFailure } from './texts.ts'
import { readAccess, readApacheError, readHaproxy, readNginxError, readW3c, w3cNames } from './web.ts'

export function readFormat(format: AstFormat, text: string): Found {
  const option = (name: string): string | undefined => format.options.findLast(each => each.name === name)?.value
  switch (format.format) {
    case 'json':
      return readJson(text)
    case 'logfmt':
      return readLogfmt(text)
    case 'kv':
      return readKv(text, option('sep') ?? ' ', option('assign') ?? '=')
    case 'csv':
      return readCsv(text, option('columns'), option('sep') ?? ',')
    case 'regex':
      return readRegex(text, format.pattern?.text ?? '')
    case 'pattern':
      return readPattern(text, format.pattern?.text ?? '')
    case 'grok':
      return readGrok(text, format.pattern?.text ?? '')
    case 'first_of':
      return readFirst(format.alternatives.map(each => [each.format, () => readFormat(each, text)]))
    case 'auto':
      return readAuto(text, name => readFormat({ format: name, pattern: null, options: [], alternatives: [] }, text))
    case 'syslog':
      return readSyslog(text)
    case 'clf':
      return readAccess(text, false)
    case 'combined':
      return readAccess(text, true)
    case 'nginx_error':
      return readNginxError(text)
    case 'apache_error':
      return readApacheError(text)
    case 'haproxy':
      return readHaproxy(text)
    case 'w3c':
      return readW3c(text, option('fields'))
    case 'cef':
      return readCef(text)
    case 'leef':
      return readLeef(text)
    case 'docker':
      return readDocker(text)
    case 'cri':
      return readCri(text)
    case 'klog':
      return readKlog(text)
    case 'redis':
      return readRedis(text)
    case 'postgres':
      return readPostgres(text)
    case 'mysql_slow':
      return readMysqlSlow(text)
    case 'java_stack':
      return readJavaStack(text)
  }
}

/** Fields a format is known to make before any text is read; null when only texts tell. */
export function namesOf(format: AstFormat): readonly string[] | null {
  const text = format.pattern?.text ?? ''
  const option = (name: string): string | undefined => format.options.findLast(each => each.name === name)?.value
  switch (format.format) {
    case 'pattern':
      return [...text.matchAll(/<([A-Za-z_@][\w.@-]*)>/g)].map(match => match[1] as string).filter(name => name !== '_')
    case 'regex':
      return [...text.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g)].map(match => match[1] as string)
    case 'grok':
      return [...text.matchAll(/%\{\w+:([^:}]+)/g)].map(match => match[1] as string)
    case 'csv':
      return option('columns')?.split(option('sep') ?? ',') ?? null
    case 'w3c':
      return w3cNames(option('fields'))
    case 'first_of': {
      const names = format.alternatives.map(namesOf)
      return names.includes(null) ? null : ['_format', ...names.flatMap(each => each ?? [])]
    }
    default: {
      const { fields, otherFields } = FORMATS[format.format]
      return otherFields === null ? fields.map(field => field.name) : null
    }
  }
}

export function readFirst(ways: readonly (readonly [format: string, read: () => Found])[]): Found {
  for (const [format, read] of ways) {
    const found = read()
    if (!isFailure(found)) return new Map<string, Value>([['_format', format], ...found])
  }
  return 'no format fits'
}
