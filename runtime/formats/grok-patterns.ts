/**
 * The patterns grok knows by name: the names logstash made common, with what they match written for a linear-time machine (no
 * look-around). Fields that a pattern names itself (`%{COMBINEDAPACHELOG}`) have the names they had there.
 */
const HEX = '[0-9A-Fa-f]'
const H16 = `${HEX}{1,4}`
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const V4 = `${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}`

/** Those that can take more stand first: the machine takes the first that fits. */
const V6 = [
  `(?:(?:${H16}:){1,6}:?|::)(?:${H16}:){0,5}${V4}`,
  `(?:${H16}:){7}${H16}`,
  `(?:${H16}:){1,7}(?:(?::${H16}){1,6}|:)`,
  `:(?:(?::${H16}){1,7}|:)`,
].join('|')

function quoted(quote: string): string {
  return `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}`
}

const WORDS = {
  USERNAME: '[a-zA-Z0-9._-]+',
  USER: '%{USERNAME}',
  EMAILLOCALPART: "[a-zA-Z0-9!#$%&'*+/=?^_{|}~.-]+",
  EMAILADDRESS: '%{EMAILLOCALPART}@%{HOSTNAME}',
  INT: '[+-]?\\d+',
  BASE10NUM: '[+-]?(?:\\d+(?:\\.\\d+)?|\\.\\d+)',
  NUMBER: '%{BASE10NUM}',
  BASE16NUM: `[+-]?(?:0[xX])?${HEX}+`,
  BASE16FLOAT: `[+-]?(?:0[xX])?(?:${HEX}+(?:\\.${HEX}*)?|\\.${HEX}+)`,
  POSINT: '\\b[1-9]\\d*\\b',
  NONNEGINT: '\\b\\d+\\b',
  WORD: '\\b\\w+\\b',
  NOTSPACE: '\\S+',
  SPACE: '\\s*',
  DATA: '.*?',
  GREEDYDATA: '.*',
  QUOTEDSTRING: `(?:${quoted('"')}|${quoted("'")}|${quoted('`')})`,
  QS: '%{QUOTEDSTRING}',
  UUID: `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
  URN: "urn:[0-9A-Za-z][0-9A-Za-z-]{0,31}:[%0-9A-Za-z()+,.:=@;$_!*'/?#-]+",
  BOOL: '(?:true|false|True|False|TRUE|FALSE)',
} as const

const NETWORK = {
  CISCOMAC: `${HEX}{4}\\.${HEX}{4}\\.${HEX}{4}`,
  WINDOWSMAC: `(?:${HEX}{2}-){5}${HEX}{2}`,
  COMMONMAC: `(?:${HEX}{2}:){5}${HEX}{2}`,
  MAC: '(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})',
  IPV4: `\\b${V4}\\b`,
  IPV6: `(?:${V6})(?:%[0-9A-Za-z]+)?`,
  // No IPv6 address begins with an IPv4 one, and most addresses are the latter.
  IP: '(?:%{IPV4}|%{IPV6})',
  HOSTNAME: '\\b[0-9A-Za-z][0-9A-Za-z-]*(?:\\.[0-9A-Za-z][0-9A-Za-z-]*)*\\.?',
  HOST: '%{HOSTNAME}',
  IPORHOST: '(?:%{IP}|%{HOSTNAME})',
  HOSTPORT: '%{IPORHOST}:%{POSINT}',
} as const

const PATHS = {
  UNIXPATH: '(?:/[\\w%!$@:.,+~=-]*)+',
  WINPATH: '(?:[A-Za-z]:|\\\\)(?:\\\\[^\\\\?*]*)+',
  PATH: '(?:%{UNIXPATH}|%{WINPATH})',
  TTY: '/dev/(?:pts|tty(?:[pq])?)(?:\\w+)?/?(?:[0-9]+)',
  URIPROTO: '[A-Za-z][A-Za-z0-9+.-]*',
  URIHOST: '%{IPORHOST}(?::%{POSINT})?',
  URIPATH: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_-]*)+",
  URIQUERY: "[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?\\[\\]<>^-]*",
  URIPARAM: '\\?%{URIQUERY}',
  URIPATHPARAM: '%{URIPATH}(?:%{URIPARAM})?',
  URI: '%{URIPROTO}://(?:%{USER}(?::[^@\\s]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?',
} as const

const TIMES = {
  MONTH:
    '\\b(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ep(?:tember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\\b',
  MONTHNUM: '(?:1[0-2]|0?[1-9])',
  MONTHNUM2: '(?:0[1-9]|1[0-2])',
  MONTHDAY: '(?:3[01]|[12]\\d|0?[1-9])',
  DAY: '(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)',
  YEAR: '(?:\\d{4}|\\d{2})',
  HOUR: '(?:2[0-3]|[01]?\\d)',
  MINUTE: '[0-5]\\d',
  SECOND: '(?:60|[0-5]?\\d)(?:[:.,]\\d+)?',
  TIME: '%{HOUR}:%{MINUTE}(?::%{SECOND})?',
  DATE_US: '%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}',
  DATE_EU: '%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}',
  DATE: '(?:%{DATE_US}|%{DATE_EU})',
  ISO8601_TIMEZONE: '(?:Z|[+-]%{HOUR}(?::?%{MINUTE})?)',
  ISO8601_SECOND: '%{SECOND}',
  TIMESTAMP_ISO8601: '%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?(?:%{ISO8601_TIMEZONE})?',
  DATESTAMP: '%{DATE}[- ]%{TIME}',
  TZ: '[A-Z]{3,4}',
  DATESTAMP_RFC822: '%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}',
  DATESTAMP_RFC2822: '%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}',
  DATESTAMP_OTHER: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}',
  DATESTAMP_EVENTLOG: '\\d{4}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}',
  HTTPDATE: '%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}',
  HTTPDERROR_DATE: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{YEAR}',
  SYSLOGTIMESTAMP: '%{MONTH} +%{MONTHDAY} %{TIME}',
} as const

const LOGS = {
  PROG: '[!-Z\\\\^-~]+',
  SYSLOGPROG: '%{PROG:program}(?:\\[%{POSINT:pid}\\])?',
  SYSLOGHOST: '%{IPORHOST}',
  SYSLOGFACILITY: '<%{NONNEGINT:facility}.%{NONNEGINT:priority}>',
  SYSLOGBASE: '%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:',
  SYSLOGLINE: '%{SYSLOGBASE} %{GREEDYDATA:message}',
  LOGLEVEL:
    '(?i:alert|trace|debug|notice|info(?:rmation)?|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?|panic)',
  HTTPDUSER: '(?:%{EMAILADDRESS}|%{USER})',
  COMMONAPACHELOG:
    '%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \\[%{HTTPDATE:timestamp}\\] "(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" %{NUMBER:response} (?:%{NUMBER:bytes}|-)',
  COMBINEDAPACHELOG: '%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}',
  HTTPD_COMMONLOG: '%{COMMONAPACHELOG}',
  HTTPD_COMBINEDLOG: '%{COMBINEDAPACHELOG}',
  JAVACLASS: '(?:[a-zA-Z$_][a-zA-Z$_0-9]*\\.)*[a-zA-Z$_][a-zA-Z$_0-9]*',
  JAVAFILE: '[A-Za-z0-9_. -]+',
  JAVAMETHOD: '(?:<(?:cl)?init>|[a-zA-Z$_][a-zA-Z$_0-9]*)',
  JAVASTACKTRACEPART: '\\s*at %{JAVACLASS:class}\\.%{JAVAMETHOD:method}\\(%{JAVAFILE:file}(?::%{INT:line})?\\)',
  LOGLINE: '%{TIMESTAMP_ISO8601:timestamp}\\s+%{LOGLEVEL:level}\\s+%{GREEDYDATA:message}',
} as const

export const GROK_PATTERNS: Readonly<Record<string, string>> = { ...WORDS, ...NETWORK, ...PATHS, ...TIMES, ...LOGS }
