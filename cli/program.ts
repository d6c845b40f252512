/**
 * The commands of the command line. Each is loaded when it is run, so that `quern query` over a pipe starts fast;
 * every error ends here, as one message on stderr and an exit code of the specification.
 */
import { Command, CommanderError, Option } from 'commander'
import { defaultServer } from './data-home.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { sourceStack } from './source-stack.ts'

const program = new Command('quern')
  .description('Log analytics where every query is compiled: over files, pipes, a data directory or a server.')
  .version('0.1.0')
  .showHelpAfterError('(quern --help shows the commands, quern <command> --help its options)')
  .exitOverride()

const serverOption = (): Option =>
  new Option('-s, --server <url>', 'the server to talk to')
    .env('QUERN_SERVER')
    .default(defaultServer(), 'http://127.0.0.1:3100')
const tokenOption = (): Option => new Option('--token <token>', 'API token').env('QUERN_TOKEN')
const timeFieldOption = (): Option =>
  new Option(
    '--time-field <field>',
    'the field with the time of an event, if it is none of timestamp, @timestamp, time, ts, datetime',
  )
const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value]

program
  .command('server')
  .description('run the server (port 3100 unless told otherwise)')
  .option('-p, --port <port>', 'HTTP port')
  .option('--host <address>', 'address to listen on')
  .option('-d, --data <directory>', 'data directory (default: quern under the user data home)')
  .option('-c, --config <file>', 'YAML configuration file')
  .action(async options => {
    // Before anything else is loaded, as what that leaves would lie at the end of a heap that only shrinks from there: 5 MiB of a server at rest.
    ;(await import('./large-buffers.ts')).giveBackLargeBuffers()
    await (await import('./commands/server.ts')).server(options)
  })

program
  .command('query')
  .description('run a query over files, stdin, a data directory, or a server')
  .argument('<query>', 'for example: level=error | stats count() by service | sort -count()')
  .option('-f, --file <path>', 'read this file (repeatable; .gz and .br are decompressed)', collect)
  .option('-d, --data <directory>', 'open this data directory (no server may be running on it)')
  .option('-s, --server <url>', 'ask this server, even when something is piped in')
  .addOption(tokenOption())
  .option('--lookup <name=file>', 'a lookup table from a CSV or NDJSON file (repeatable)', collect)
  .option('--from <time>', 'start of the time range: -1h, @d, 2026-06-01T00:00:00Z')
  .option('--to <time>', 'end of the time range (exclusive)')
  .addOption(timeFieldOption())
  .addOption(
    new Option('--format <format>', 'output format')
      .choices(['table', 'ndjson', 'json', 'csv', 'tsv'])
      .default(undefined, 'table on a terminal, else ndjson'),
  )
  .option('--fail-on-empty', 'exit with 6 when there are no results')
  .option('--timeout <seconds>', 'give up after this long (exit code 5)')
  .option('--profile', 'print where the time went, on stderr')
  .action(async (query, options) => (await import('./commands/query.ts')).query(query, options))

program
  .command('ingest')
  .description('send files or stdin to a server, one event a line (JSON or plain text)')
  .argument('[files...]', 'files to send; stdin when none is named')
  .addOption(serverOption())
  .addOption(tokenOption())
  .option('-d, --data <directory>', 'write straight into this data directory instead of a server')
  .option('--index <name>', 'target index (default main)')
  .option('--source <name>', 'source tag (default: the file name)')
  .option('--batch <lines>', 'lines per request', '5000')
  .addOption(timeFieldOption())
  .action(async (files, options) => (await import('./commands/ingest.ts')).ingest(files, options))

program
  .command('tail')
  .description('follow a server: the newest results, then those that come')
  .argument('<query>', 'for example: level=error | keep _time, service, message')
  .addOption(serverOption())
  .addOption(tokenOption())
  .option('-n, --count <results>', 'results of the past to begin with (default 100)')
  .option('--from <time>', 'how far back they may be (default -1h)')
  .addOption(
    new Option('--format <format>', 'output format')
      .choices(['text', 'ndjson'])
      .default(undefined, 'text on a terminal, else ndjson'),
  )
  .action(async (query, options) => (await import('./commands/tail.ts')).tail(query, options))

const jobs = program.command('jobs').description('queries that run on a server without anybody waiting')
jobs
  .command('list', { isDefault: true })
  .description('list them, newest first')
  .addOption(serverOption())
  .addOption(tokenOption())
  .option('--status <status>', 'only those that are running, done, error or canceled')
  .action(async options => (await import('./commands/jobs.ts')).listJobs(options))
jobs
  .command('show')
  .description('the rows of one that is done, or how far it is')
  .argument('<id>')
  .addOption(serverOption())
  .addOption(tokenOption())
  .option('--wait', 'until it is done')
  .action(async (id, options) => (await import('./commands/jobs.ts')).showJob(id, options))
jobs
  .command('cancel')
  .description('end one that runs')
  .argument('<id>')
  .addOption(serverOption())
  .addOption(tokenOption())
  .action(async (id, options) => (await import('./commands/jobs.ts')).cancelJob(id, options))

program
  .command('explain')
  .description('show how a query would run: plan, what is pushed, what is skipped, the generated JavaScript')
  .argument('<query>')
  .option('-f, --file <path>', 'over this file (repeatable)', collect)
  .option('-d, --data <directory>', 'over this data directory')
  .option('-s, --server <url>', 'ask this server, even when something is piped in')
  .addOption(tokenOption())
  .option('--lookup <name=file>', 'a lookup table from a CSV or NDJSON file (repeatable)', collect)
  .option('--from <time>', 'start of the time range')
  .option('--to <time>', 'end of the time range')
  .addOption(timeFieldOption())
  .option('--analyze', 'run it and show rows and times')
  .option('--passes', 'show the plan after every pass and rule')
  .option('--js', 'show the generated JavaScript')
  .option('--json', 'the whole explanation as JSON')
  .action(async (query, options) => (await import('./commands/explain.ts')).explain(query, options))

program
  .command('fmt')
  .description('lay out a query, comments and all')
  .argument('[query]', 'the query; stdin when absent')
  .action(async query => (await import('./commands/fmt.ts')).fmt(query))

program
  .command('demo')
  .description('send realistic live events, with an incident to find, to a server')
  .addOption(serverOption())
  .addOption(tokenOption())
  .option('--rate <events>', 'events per second', '50')
  .option('--seconds <seconds>', 'stop after this long')
  .option('--backfill <minutes>', 'start with this much history', '30')
  .option('--seed <number>', 'another seed, another story', '1')
  .option('--stdout', 'print NDJSON instead of sending')
  .action(async options => (await import('./commands/demo.ts')).demo(options))

program
  .command('bench')
  .description('time a query over files: compile, first run, then repeated runs')
  .argument('<query>')
  .requiredOption('-f, --file <path>', 'file to load (repeatable)', collect)
  .option('--runs <count>', 'repetitions', '10')
  .addOption(timeFieldOption())
  .action(async (query, options) => (await import('./commands/bench.ts')).bench(query, options))

const dataOption = (): Option =>
  new Option('-d, --data <directory>', 'data directory').default(undefined, 'quern under the user data home')
const tableFormat = (): Option =>
  new Option('--format <format>', 'output format')
    .choices(['table', 'ndjson'])
    .default(undefined, 'table on a terminal, else ndjson')

program
  .command('parts')
  .description('list the parts of a data directory, or show where the bytes of one go; a server may be running')
  .argument('[part]', 'id of a part: its columns, their encodings, codecs and sizes')
  .addOption(dataOption())
  .addOption(tableFormat())
  .action(async (part, options) => (await import('./commands/parts.ts')).parts(part, options))

program
  .command('verify')
  .description('read every byte of a data directory: checksums, values, statistics, and the catalog against the parts')
  .addOption(dataOption())
  .addOption(tableFormat())
  .action(async options => (await import('./commands/verify.ts')).verify(options))

program
  .command('repair')
  .description('set damaged parts aside and make the catalog anew; no server may be running')
  .addOption(dataOption())
  .action(async options => (await import('./commands/verify.ts')).repair(options))

program
  .command('backup')
  .description('back up a data directory, also while a server uses it: hard links of its parts, and a manifest')
  .argument('<target>', 'an empty or new directory')
  .addOption(dataOption())
  .option('--copy', 'copy the parts instead of linking them')
  .action(async (target, options) => (await import('./commands/backup.ts')).backup(target, options))

program
  .command('restore')
  .description('check a backup and make a data directory of it')
  .argument('<backup>', 'what quern backup wrote')
  .argument('<directory>', 'an empty or new directory')
  .option('--copy', 'copy the parts instead of linking them')
  .action(async (from, directory, options) => (await import('./commands/backup.ts')).restore(from, directory, options))

program
  .command('export')
  .description('write events, or the rows of any query, to an NDJSON, Parquet or Arrow file; no server may be running')
  .argument('[query]', 'which rows', 'from *')
  .requiredOption('-o, --output <file>', 'file to write; - is stdout (NDJSON only)')
  .addOption(dataOption())
  .option('--from <time>', 'start of the time range')
  .option('--to <time>', 'end of the time range (exclusive)')
  .addOption(
    new Option('--format <format>', 'file format')
      .choices(['ndjson', 'parquet', 'arrow'])
      .default(undefined, 'as the name of the file ends'),
  )
  .action(async (query, options) => (await import('./commands/export.ts')).exportEvents(query, options))

program
  .command('import')
  .description('read NDJSON, Parquet or Arrow files into a data directory; exported events come back as they were')
  .argument('<files...>', 'files to read')
  .addOption(dataOption())
  .option('--index <name>', 'index of events that name none (default main)')
  .action(async (files, options) => (await import('./commands/export.ts')).importEvents(files, options))

/** Runs the command that `argv` names; what went wrong has been told, and is the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that went away (`quern query … | head`) is not an error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(EXIT.success)
      throw error
    })
  }
  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = await exitCodeOf(error)
  }
}

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage
  if (error instanceof CommandError) {
    if (error.message !== '') process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
  const { CompileError, renderDiagnostic, fixOf } = await import('../grammar/index.ts')
  if (error instanceof CompileError) {
    for (const diagnostic of error.diagnostics) process.stderr.write(`${renderDiagnostic(error.source, diagnostic)}\n`)
    const fix = fixOf(error.source, error.diagnostics)
    if (fix !== null) process.stderr.write(`try: ${fix}\n`)
    return EXIT.queryParse
  }
  const { BackpressureError, LockedError, LookupError, UnwrittenEventsError } = await import('../storage/errors.ts')
  const { DataError } = await import('../runtime/helpers/errors.ts')
  const { QueryMemoryError } = await import('../runtime/memory.ts')
  const { SpillReadError } = await import('../runtime/spill/spill-file.ts')
  const { BackupError, NoDataDirectoryError } = await import('../storage/tools/index.ts')
  const { TableFileError } = await import('../runtime/interchange/table-file.ts')
  if (error instanceof NoDataDirectoryError) {
    process.stderr.write(`${error.message}\n`)
    return EXIT.usage
  }
  const known = [
    BackpressureError,
    LockedError,
    LookupError,
    UnwrittenEventsError,
    DataError,
    QueryMemoryError,
    SpillReadError,
    BackupError,
    TableFileError,
  ]
  if (error instanceof Error && known.some(kind => error instanceof kind)) {
    process.stderr.write(`${error.message}\n`)
    return EXIT.general
  }
  const { isSystemError, reasonOf } = await import('./system-error.ts')
  if (isSystemError(error)) {
    process.stderr.write(`${error.path === undefined ? '' : `${error.path}: `}${reasonOf(error)}\n`)
    return EXIT.general
  }
  if (error instanceof Error && error.stack !== undefined) error.stack = sourceStack(error.stack)
  throw error
}
