/**
 * `npm run bench -- --suite windows`: real events, wide ones. 129,429 of Windows machines on which attacks were played through, 259 fields,
 * of which each event has some thirty; and twelve questions that somebody who looks into such an attack asks.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from '../docs/cookbook/data.ts'
import { benchDirectory, type Events } from './generate.ts'
import { unpacked } from './size.ts'
import { type Question, question } from './suite.ts'

/** None of the twelve may be slower than DuckDB; together they have to be this much faster, in the geometric mean. */
export const GEOMETRIC_MEAN_MUST_REACH = 2

/** @throws {Error} when the data is not on this machine */
export async function windowsEvents(): Promise<Events> {
  const packed = join(dataDirectory() ?? '', 'windows-events.ndjson.gz')
  if (!existsSync(packed)) throw new Error('windows-events.ndjson.gz is not on this machine')
  const file = join(benchDirectory(), 'windows-events.ndjson')
  await unpacked(packed, file)
  const rows = readFileSync(file, 'latin1').split('\n').length - 1
  return { file, rows, seed: 0, bytes: statSync(file).size, needle: '', isRagged: true }
}

export function windowsQuestions(): readonly Question[] {
  return [
    question('word: powershell', 1, ['n'], {
      quern: 'powershell | stats count() as n',
      // The same words; ILIKE before it, which would find two lines more, is slower.
      duckdb: `SELECT count(*) AS n FROM texts.lines
               WHERE regexp_matches(raw, '(?i)(^|[^a-z0-9])powershell([^a-z0-9]|$)')`,
    }),
    question('phrase: "Process accessed", by host', 1, ['Hostname', 'n'], {
      quern: 'where contains(Message, "Process accessed") | stats count() as n by Hostname',
      // Quern's `contains` ignores case: DuckDB is given the easier question.
      duckdb: `SELECT Hostname, count(*) AS n FROM events WHERE contains(Message, 'Process accessed') GROUP BY Hostname`,
    }),
    question('field filter: EventID 13 of one host', 1, ['n'], {
      quern: 'where EventID == 13 and Hostname == "WORKSTATION5.theshire.local" | stats count() as n',
      duckdb: `SELECT count(*) AS n FROM events WHERE EventID = 13 AND Hostname = 'WORKSTATION5.theshire.local'`,
    }),
    question('group by Image', 1, ['Image', 'n'], {
      quern: 'where exists(Image) | stats count() as n by Image',
      duckdb: 'SELECT Image, count(*) AS n FROM events WHERE Image IS NOT NULL GROUP BY Image',
    }),
    question('distinct hosts and programs by channel', 1, ['Channel', 'hosts', 'programs'], {
      quern: 'stats dc(Hostname) as hosts, dc(Image) as programs by Channel',
      duckdb: `SELECT Channel, count(DISTINCT Hostname) AS hosts, count(DISTINCT Image) AS programs
               FROM events GROUP BY Channel`,
    }),
    question('newest 100 that open lsass', 1, ['@timestamp'], {
      quern: 'where EventID == 10 and contains(TargetImage, "lsass.exe") | sort -_time | head 100',
      duckdb: `SELECT * FROM events WHERE EventID = 10 AND TargetImage ILIKE '%lsass.exe%'
               ORDER BY "@timestamp" DESC LIMIT 100`,
    }),
    question('regex on CommandLine', 1, ['CommandLine', 'n'], {
      quern:
        'where matches(CommandLine, r"(?i)powershell.*\\s-(enc|nop|w(indowstyle)?)\\s") | stats count() as n by CommandLine',
      duckdb: `SELECT CommandLine, count(*) AS n FROM events
               WHERE regexp_matches(CommandLine, '(?i)powershell.*\\s-(enc|nop|w(indowstyle)?)\\s') GROUP BY CommandLine`,
    }),
    question('top 10 registry keys', 1, ['TargetObject', 'n'], {
      quern: 'where exists(TargetObject) | stats count() as n by TargetObject | sort -n, TargetObject | head 10',
      duckdb: `SELECT TargetObject, count(*) AS n FROM events WHERE TargetObject IS NOT NULL
               GROUP BY TargetObject ORDER BY n DESC, TargetObject LIMIT 10`,
    }),
    question('histogram: events an hour by channel', 1, ['hour', 'Channel', 'n'], {
      quern: 'stats count() as n by bin(_time, 1h) as hour, Channel',
      duckdb: `SELECT date_trunc('hour', "@timestamp") AS hour, Channel, count(*) AS n FROM events GROUP BY hour, Channel`,
    }),
    question('100 whole events of PowerShell', 1, ['@timestamp', 'EventID'], {
      quern: 'where EventID == 4103 | sort -_time | head 100',
      duckdb: 'SELECT * FROM events WHERE EventID = 4103 ORDER BY "@timestamp" DESC LIMIT 100',
    }),
    question('group by Image and TargetImage', 1, ['SourceImage', 'TargetImage', 'n'], {
      quern: 'where EventID == 10 | stats count() as n by SourceImage, TargetImage',
      duckdb: `SELECT SourceImage, TargetImage, count(*) AS n FROM events WHERE EventID = 10
               GROUP BY SourceImage, TargetImage`,
    }),
    question('substring anywhere: mimikatz', 1, ['n'], {
      quern: 'where contains(_raw, "mimikatz") | stats count() as n',
      duckdb: `SELECT count(*) AS n FROM texts.lines WHERE raw ILIKE '%mimikatz%'`,
    }),
  ]
}
