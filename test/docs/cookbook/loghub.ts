/** Questions to the logs of large systems. */
import type { CookbookSection } from './entry.ts'

export const HDFS: CookbookSection = {
  title: 'A distributed file system: HDFS',
  about:
    'Two thousand lines of Hadoop’s file system. Time stands as `081109 203615`, which nobody recognises by itself: `strptime` reads it.',
  file: 'loghub/HDFS_2k.log',
  entries: [
    {
      title: 'What does this system say?',
      why: 'Two thousand lines of a log nobody has seen before, as the dozen sentences they are.',
      query: `parse pattern "<date> <time> <pid> <level> <component>: <message>"
| patterns field=message limit=10
| extend percent = round(100 * share, 1)
| keep percent, count, pattern`,
    },
    {
      title: 'How many lines an hour, and how many warnings?',
      why: 'A time of one’s own becomes the time of the event by being called `_time`.',
      query: `parse pattern "<date> <time> <pid> <level> <component>: <message>" into (date as string, time as string, level)
| extend _time = strptime(date + time, "%y%m%d%H%M%S")
| every 6h stats count() as lines, count(where level == "WARN") as warnings
| head 8`,
    },
    {
      title: 'Which block of data has a history?',
      why: 'Everything that was said about one thing, wherever in the line it stands.',
      query: `extend blocks = extract_all(_raw, r"blk_-?\\d+")
| extend block = blocks[0]
| stats count() as lines, values(extract(_raw, r"(?:INFO|WARN) ([\\w.$]+)")) as components by block
| where lines > 1
| sort -lines, block | head 5`,
    },
  ],
}

export const BGL: CookbookSection = {
  title: 'A supercomputer: BGL',
  about: 'Messages of the hardware of a Blue Gene/L, over half a year. The second word is the time in seconds.',
  file: 'loghub/BGL_2k.log',
  entries: [
    {
      title: 'What is fatal here, and in which part?',
      why: 'A table of two dimensions: a row for each component, a column for each level.',
      query: `parse pattern "<alert> <epoch> <date> <node> <ts> <node2> <kind> <component> <level> <message>"
| stats count() as n by component, level
| xyseries component level n`,
    },
    {
      title: 'Which sentences come with an alert?',
      why: 'Lines the operators marked, by what they say.',
      query: `parse pattern "<alert> <epoch> <date> <node> <ts> <node2> <kind> <component> <level> <message>"
| where alert != "-"
| patterns field=message limit=6
| keep count, pattern`,
    },
    {
      title: 'Does one rack fail more than the others?',
      why: 'The place is in the name of the node. Fatal messages by rack, beside the share of all.',
      query: `parse pattern "<alert> <epoch> <date> <node> <ts> <node2> <kind> <component> <level> <message>"
| where level == "FATAL"
| extend rack = extract(node, r"^R\\d\\d")
| stats count() as fatal, dc(node) as nodes by rack
| eventstats sum(fatal) as all
| extend percent = 100 * fatal / all
| keep rack, nodes, fatal, percent
| sort -fatal | head 5`,
    },
    {
      title: 'Days with a burst of errors',
      why: '`baseline` compares each day with the days before it.',
      query: `parse pattern "<alert> <epoch> <_> <level_and_rest>" into (epoch as int, alert)
| extend _time = datetime(epoch)
| every 1d stats count(where alert != "-") as alerts
| fill 1d
| baseline alerts window=14
| where deviation > 3
| keep _time, alerts, baseline, deviation`,
    },
  ],
}

export const OPENSTACK: CookbookSection = {
  title: 'A cloud of one’s own: OpenStack',
  about: 'Quarter of an hour of the compute service: its interface, its hypervisors, the life of its machines.',
  file: 'loghub/OpenStack_2k.log',
  entries: [
    {
      title: 'How fast is the interface?',
      why: '`latency` is the percentiles of a duration, by whatever is asked for. `into … as float` makes numbers of all, `0.2470` too.',
      query: `parse regex r"\\"(?<verb>\\w+) (?<path>\\S+) HTTP/1.1\\" status: (?<status>\\d+) len: (?<len>\\d+) time: (?<secs>[\\d.]+)"
        into (verb, status, secs as float) on_error drop
| latency secs by verb, status
| sort -\`count(secs)\``,
    },
    {
      title: 'How long does it take to start a machine?',
      why: '`transaction` joins what is said about one machine, from its first line to the one that ends the start.',
      query: `"instance:" ("Attempting claim" or "Instance spawned successfully" or "VM Started" or "Creating image")
| extend instance = extract(_raw, r"instance: ([0-9a-f-]{36})")
| extend _time = datetime(replace(extract(_raw, r"(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+)"), " ", "T") + "Z")
| transaction instance endswith=(contains(_raw, "spawned successfully"))
| where closed and events > 2
| stats count() as machines, min(duration) as fastest, avg(duration) as average, max(duration) as slowest`,
    },
    {
      title: 'What warns, and about what?',
      why: 'Warnings and errors only, by their sentence.',
      query: `WARNING or ERROR
| parse pattern "<file> <date> <time> <pid> <level> <module> [<request>] <message>"
| patterns field=message
| keep count, pattern, sample`,
    },
  ],
}

export const ZOOKEEPER: CookbookSection = {
  title: 'A quorum: Zookeeper',
  about:
    'A month of a coordination service that loses its peers now and then. Its lines begin with a time that is recognised.',
  file: 'loghub/Zookeeper_2k.log',
  entries: [
    {
      title: 'When was it unwell?',
      why: 'Warnings in an hour, and the hours that are far from the usual ones.',
      query: `WARN
| every 1h stats count() as warnings
| fill 1h
| outliers field=warnings method=mad
| sort -warnings | head 5`,
    },
    {
      title: 'How often does the state change, and to what?',
      why: '`changes` keeps the rows in which a value is another than before.',
      query: `parse pattern "<ts> - <level> [<thread>@<line>] - <message>"
| where message in ["LOOKING", "FOLLOWING", "LEADING"] or contains(message, "LEADING") or contains(message, "FOLLOWING")
| extend state = extract(message, r"(LOOKING|FOLLOWING|LEADING)")
| sort _time
| changes state
| keep _time, previous, state, message | head 6`,
    },
    {
      title: 'What was said around the first unexpected exception?',
      why: 'Lines before and after each match, whoever wrote them.',
      query: `"Unexpected exception"
| context 2
| head 6
| keep context, _raw`,
    },
  ],
}

export const HADOOP: CookbookSection = {
  title: 'A batch job: Hadoop',
  about: 'Fourteen minutes of a map-reduce job whose network failed.',
  file: 'loghub/Hadoop_2k.log',
  entries: [
    {
      title: 'When did it break?',
      why: 'Levels as columns, a row for every two minutes: the moment is where the columns change.',
      query: `parse regex r"^\\S+ \\S+ (?<level>[A-Z]+) +\\[(?<thread>[^\\]]+)\\] (?<class>[\\w.$]+): (?<message>.*)"
| every 2m by level stats count() as n
| xyseries _time level n`,
    },
    {
      title: 'Which errors, and when did each begin?',
      why: 'The first time of each sentence puts causes before their consequences.',
      query: `parse regex r"^\\S+ \\S+ (?<level>[A-Z]+) +\\[(?<thread>[^\\]]+)\\] (?<class>[\\w.$]+): (?<message>.*)"
| where level in ["WARN", "ERROR", "FATAL"]
| patterns field=message limit=5
| sort first_seen
| keep first_seen, last_seen, count, pattern`,
    },
  ],
}
