/** Random lines of containers, databases and other servers. */
import { clock, date, isoTime, type LineMaker, MONTHS, message, orMissing, plainMessage, two } from './parts.ts'

export const SERVER_LINES = {
  docker: random => {
    const fields = {
      timestamp: '2026-06-01T10:00:00.123456789Z',
      stream: random.pick(['stdout', 'stderr']),
      partial: random.chance(0.2),
      message: message(random),
      attrs: orMissing(random, { tag: 'web', region: 'eu' }),
    }
    const log = fields.message + (fields.partial ? '' : '\n')
    const line = JSON.stringify({ log, stream: fields.stream, attrs: fields.attrs, time: fields.timestamp })
    return { format: 'docker', line, fields }
  },

  cri: random => {
    const fields = {
      timestamp: '2026-06-01T10:00:00.123456789Z',
      stream: random.pick(['stdout', 'stderr']),
      partial: random.chance(0.2),
      message: random.pick(['', ' indented', message(random)]),
    }
    const line = `${fields.timestamp} ${fields.stream} ${fields.partial ? 'P' : 'F'} ${fields.message}`
    return { format: 'cri', line, fields }
  },

  klog: random => {
    const [letter, level] = random.pick([['I', 'info'] as const, ['W', 'warning'] as const, ['E', 'error'] as const])
    const timestamp = `${two(random.int(1, 12))}${two(random.int(1, 28))} ${clock(random)}.123456`
    const fields = {
      level,
      timestamp,
      pid: random.int(1, 99_999),
      file: 'reflector.go',
      line: random.int(1, 999),
      message: message(random),
    }
    const line = `${letter}${timestamp} ${String(fields.pid).padStart(7)} ${fields.file}:${fields.line}] ${fields.message}`
    return { format: 'klog', line, fields }
  },

  redis: random => {
    const [letter, role] = random.pick([['M', 'master'] as const, ['S', 'replica'] as const, ['C', 'child'] as const])
    const [sign, level] = random.pick([['*', 'notice'] as const, ['#', 'warning'] as const, ['.', 'debug'] as const])
    const timestamp = `${two(random.int(1, 28))} ${random.pick(MONTHS)} 2026 ${clock(random)}.123`
    const fields = { pid: random.int(1, 99_999), role, timestamp, level, message: message(random) }
    return { format: 'redis', line: `${fields.pid}:${letter} ${timestamp} ${sign} ${fields.message}`, fields }
  },

  postgres: random => {
    const [user, database] = [orMissing(random, 'ann'), 'shop']
    const statement = orMissing(random, 'SELECT 1 -- x: y')
    const duration_ms = statement === undefined ? undefined : random.int(1, 99_999) / 8
    const text = statement === undefined ? plainMessage(random) : `duration: ${duration_ms} ms  statement: ${statement}`
    const level = statement === undefined ? random.pick(['ERROR', 'FATAL', 'LOG']) : 'LOG'
    const pid = random.int(1, 99_999)
    const session_line = random.int(1, 99)
    const timestamp = `${date(random)} ${clock(random)}.123 ${random.pick(['UTC', 'CEST', '+03'])}`
    const common = { timestamp, pid, level, message: text, statement, duration_ms }
    const at = user === undefined ? '' : `${user}@${database} `
    const names = { user, database: user === undefined ? undefined : database }
    const [prefix, fields] = random.pick([
      [`[${pid}] `, {}] as const,
      [`[${pid}] ${at}`, names] as const,
      [`[${pid}-${session_line}] ${at}`, { ...names, session_line }] as const,
      [
        `[${pid}]: [${session_line}-1] user=${user ?? '[unknown]'},db=${database},app=psql,client=10.0.0.1 `,
        { user, database, application: 'psql', clientip: '10.0.0.1', session_line },
      ] as const,
    ])
    return { format: 'postgres', line: `${timestamp} ${prefix}${level}:  ${text}`, fields: { ...common, ...fields } }
  },

  mysql_slow: random => {
    const fields = {
      timestamp: isoTime(random),
      user: 'app',
      host: orMissing(random, 'web-1'),
      clientip: orMissing(random, '10.0.0.7'),
      connection: random.int(1, 99_999),
      query_time: random.int(1, 9999) / 8,
      lock_time: 0.125,
      rows_sent: random.int(0, 99),
      rows_examined: random.int(0, 1e6),
      database: orMissing(random, 'shop'),
      statement: 'SELECT *\nFROM orders;',
    }
    const line = [
      `# Time: ${fields.timestamp}`,
      `# User@Host: app[app] @ ${fields.host ?? ''} [${fields.clientip ?? ''}]  Id: ${String(fields.connection).padStart(5)}`,
      `# Query_time: ${fields.query_time}  Lock_time: ${fields.lock_time} Rows_sent: ${fields.rows_sent}  Rows_examined: ${fields.rows_examined}`,
      ...(fields.database === undefined ? [] : [`use ${fields.database};`]),
      'SET timestamp=1780308000;',
      fields.statement,
    ].join('\n')
    return { format: 'mysql_slow', line, fields }
  },

  java_stack: random => {
    const text = orMissing(random, plainMessage(random))
    const exception = random.pick(['java.lang.IllegalStateException', 'shop.OrderError'])
    const frames = ['shop.Orders.ship(Orders.java:42)', 'java.base/java.lang.Thread.run(Thread.java:829)']
    const cause = orMissing(random, 'java.io.IOException: disk full')
    const logger = random.pick(['', '2026-06-01 10:00:00 ERROR [main] shop.Orders - failed\n'])
    const head = `${exception}${text === undefined ? '' : `: ${text}`}`
    const causes = cause === undefined ? '' : `\nCaused by: ${cause}\n\tat shop.Disk.write(Disk.java:9)\n\t... 1 more`
    const fields = {
      exception,
      message: text,
      frames,
      caused_by: cause === undefined ? undefined : [cause],
      root_cause: cause === undefined ? undefined : 'java.io.IOException',
    }
    return {
      format: 'java_stack',
      line: `${logger}${head}\n${frames.map(frame => `\tat ${frame}`).join('\n')}${causes}`,
      fields,
    }
  },
} satisfies Readonly<Record<string, LineMaker>>
