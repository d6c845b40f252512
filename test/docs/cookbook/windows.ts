/** Questions to the event logs of Windows machines, mostly Sysmon, in which attacks were played through. */
import type { CookbookSection } from './entry.ts'

export const WINDOWS: CookbookSection = {
  title: 'Windows machines: windows-events',
  about:
    'Events of lab machines on which attacks were played through: 129,429 of them with 259 fields, from Sysmon, the security log and PowerShell.',
  file: 'windows-events.ndjson.gz',
  isLarge: true,
  entries: [
    {
      title: 'What is being recorded, and where?',
      why: 'Before believing an empty answer one has to know that there would have been events.',
      query: `stats count() as events, dc(EventID) as kinds, dc(Hostname) as hosts, min(_time) as first, max(_time) as last by Channel
| sort -events`,
    },
    {
      title: 'Which programs started which?',
      why: 'Of a parent and its child the rare pairs are worth a look; so are the pairs with a new command line each time.',
      query: `EventID=1 Channel=*Sysmon*
| extend parent = extract(ParentImage, r"[^\\\\]+$"), child = extract(Image, r"[^\\\\]+$")
| stats count() as starts, dc(CommandLine) as commands by parent, child
| sort -starts, parent, child | head 8`,
    },
    {
      title: 'Did a script engine or an office program start a shell?',
      why: 'wscript, cscript, mshta or Word starting cmd is how a mail attachment begins.',
      query: `EventID=1
| where matches(ParentImage, r"(?i)\\\\(winword|excel|outlook|wscript|cscript|mshta|rundll32|regsvr32)\\.exe$")
| extend parent = lower(extract(ParentImage, r"[^\\\\]+$")), child = lower(extract(Image, r"[^\\\\]+$"))
| stats count() as starts, min(_time) as first, min(CommandLine) as example by parent, child
| sort -starts, parent`,
    },
    {
      title: 'Is PowerShell told to hide something?',
      why: 'Encoded commands, hidden windows and downloads in what was started or run as a script.',
      query: `powershell
| extend text = coalesce(CommandLine, ScriptBlockText, Payload)
| extend trick = case(
    matches(text, r"(?i)\\s-e(nc|ncodedcommand)?\\s+[A-Za-z0-9+/=]{20,}"), "encoded command",
    matches(text, r"(?i)-w(indowstyle)?\\s+hidden"), "hidden window",
    matches(text, r"(?i)frombase64string"), "decodes base64",
    matches(text, r"(?i)downloadstring|downloadfile|invoke-webrequest|net\\.webclient"), "downloads")
| where not is_null(trick)
| stats count() as times, dc(Hostname) as hosts, min(_time) as first by trick, EventID
| sort -times`,
    },
    {
      title: 'Who touched the memory of lsass?',
      why: 'Passwords are taken from there. The access mask says how: 0x1010 and 0x1410 read memory.',
      query: `EventID=10 TargetImage=*lsass.exe
| extend source = lower(SourceImage)
| stats count() as times, values(GrantedAccess) as access, dc(Hostname) as hosts by source
| where any(access, a -> a in ["0x1010", "0x1410", "0x1438", "0x1fffff"])
| sort -times`,
    },
    {
      title: 'Which services were installed?',
      why: 'A service runs as SYSTEM and starts by itself: a way to stay, and the way psexec works.',
      query: `EventID in (7045, 4697)
| extend image = coalesce(ImagePath, ServiceFileName)
| keep _time, Hostname, EventID, ServiceName, image`,
    },
    {
      title: 'What starts by itself from now on?',
      why: 'Run keys and the images of services, as Sysmon sees them written in the registry, and who wrote them.',
      query: `EventID in (12, 13)
| where matches(TargetObject, r"(?i)\\\\(currentversion\\\\run(once)?|services\\\\[^\\\\]+\\\\imagepath)")
| extend by = extract(Image, r"[^\\\\]+$"), key = extract(TargetObject, r"(?:[^\\\\]+\\\\){2}[^\\\\]+$")
| keep _time, by, key, Details
| sort _time`,
    },
    {
      title: 'Who logged on to which machine over the network?',
      why: 'Logons of type 3 and 10 of accounts that are no machines: the trail of somebody moving through the network.',
      query: `EventID=4624
| where LogonType in ["3", "10"] and not ends_with(TargetUserName, "$")
| stats count() as logons, values(IpAddress) as addresses, min(_time) as first by Hostname, TargetUserName
| sort -logons`,
    },
    {
      title: 'Which logons failed?',
      why: 'Several names from one place within seconds is password spraying.',
      query: `EventID=4625
| stats dc(TargetUserName) as names, values(TargetUserName) as tried, min(_time) as first, range(_time) as took by Hostname, IpAddress`,
    },
    {
      title: 'Who talks to the outside?',
      why: 'Programs with connections to addresses that are not private, and which ports they use.',
      query: `EventID=3 Initiated="true"
| where not is_private_ip(DestinationIp) and not cidr_match(DestinationIp, "ff00::/8") and not cidr_match(DestinationIp, "224.0.0.0/4")
| extend program = extract(Image, r"[^\\\\]+$")
| stats count() as connections, dc(DestinationIp) as addresses, values(DestinationPort) as ports by program
| sort -connections | head 6`,
    },
    {
      title: 'How was the program started that talks to that address?',
      why: 'Two kinds of events about one process: its connections, joined to its start by the id both have.',
      query: `EventID=3 DestinationIp="10.10.10.5"
| stats count() as connections, min(_time) as first by ProcessGuid, Image
| join on ProcessGuid with [EventID=1 | keep ProcessGuid, ParentImage, CommandLine]
| extend program = extract(Image, r"[^\\\\]+$"), parent = extract(ParentImage, r"[^\\\\]+$")
| keep first, program, parent, connections, CommandLine
| sort first`,
    },
    {
      title: 'The family of a process',
      why: '`topology` draws a map from rows that name themselves and their parent. Of services calling each other, or of processes starting each other.',
      query: `EventID=1 Channel=*Sysmon*
| extend program = lower(extract(Image, r"[^\\\\]+$"))
| topology span_id=ProcessGuid parent=ParentProcessGuid trace_id=Hostname service=program
| where caller != callee
| sort -calls, caller, callee
| keep caller, callee, calls
| head 8`,
    },
    {
      title: 'When did something begin?',
      why: '`changepoint` finds where a series changes its level, and by how much.',
      query: `from main[2023-08-15..2023-08-16] EventID=3
| every 10s stats count() as connections
| fill 10s
| changepoint connections
| sort -score | head 3`,
    },
    {
      title: 'What happened right before a log was cleared?',
      why: 'Clearing a log is an event itself, 104 or 1102. What the same machine did in the seconds before says why.',
      query: `from main[2023-08-15T09:53:30Z..2023-08-15T09:53:47Z] EventID in (1, 104, 1102, 4103, 4104)
| extend what = coalesce(CommandLine, Payload, Message)
| sort _time
| keep _time, Hostname, EventID, what | tail 6`,
    },
    {
      title: 'Which programs were written where users may write?',
      why: 'Executables in the folders of users and for temporary files, and which program put them there.',
      query: `EventID=11
| extend file = lower(TargetFilename), by = lower(extract(Image, r"[^\\\\]+$"))
| where matches(file, r"\\\\(temp|downloads|public|appdata)\\\\.*\\.(exe|dll|ps1|vbs|js|bat)$")
| stats count() as files, dc(Hostname) as hosts, min(_time) as first, min(file) as example by by
| sort -files, by`,
    },
    {
      title: 'What does the traffic of an implant look like?',
      why: 'A program that calls home does so evenly: the pauses between its connections hardly differ.',
      query: `EventID=3
| extend program = lower(extract(Image, r"[^\\\\]+$"))
| sort _time
| streamstats lag(_time) as before by Hostname, program, DestinationIp
| extend pause = (_time - before) / 1s
| where pause > 0.5
| stats count() as connections, median(pause) as pause, stdev(pause) as spread by program, DestinationIp
| where connections >= 10 and spread < pause`,
    },
  ],
}
