/** Questions to the log of an ssh server on the open internet. */
import type { CookbookSection } from './entry.ts'

export const AUTH: CookbookSection = {
  title: 'ssh and sudo: auth.log',
  about:
    'A month of a server that anybody can reach: sshd, sudo, cron and their friends, as syslog writes them. The lines have no year, so they get the latest that is not in the future.',
  file: 'auth.log',
  entries: [
    {
      title: 'What is in this log?',
      why: 'Before asking for anything in particular: which programs write, how much, and when they did so first and last.',
      query: `parse syslog
| stats count() as lines, min(_time) as first, max(_time) as last by appname
| sort -lines`,
    },
    {
      title: 'What does sshd say, apart from the names and numbers?',
      why: '`patterns` groups the lines that differ only in what varies. It needs no idea of the log beforehand.',
      query: `parse syslog
| where appname == "sshd"
| patterns field=message limit=8
| extend percent = round(100 * share, 1)
| keep percent, count, pattern`,
    },
    {
      title: 'Who is trying passwords?',
      why: 'Words that stand first are looked for in the text. Many names from one address is a dictionary; one name is somebody who has a reason to believe in it.',
      query: `Failed password
| parse regex r"for (?:invalid user )?(?<user>\\S*) from (?<ip>\\S+) port"
| stats count() as attempts, dc(user) as names, min(_time) as first, range(_time) as took by ip
| sort -attempts | head 8`,
    },
    {
      title: 'Which names do they try?',
      why: 'Names that exist nowhere tell which products the attacker has in mind.',
      query: `"Invalid user" "from"
| parse pattern "<_>Invalid user <user> from <ip>"
| stats count() as tries, dc(ip) as addresses by user
| sort -addresses, -tries, user | head 8`,
    },
    {
      title: 'Did one of the guesses succeed?',
      why: 'An address that failed and then got in. `count(where …)` counts two things of the same rows.',
      query: `"sshd" (Failed or Accepted)
| parse regex r"(?<result>Failed|Accepted) \\w+ for (?:invalid user )?(?<user>\\S*) from (?<ip>\\S+)"
| stats count(where result == "Failed") as failed, count(where result == "Accepted") as accepted,
        values(user, where result == "Accepted") as users by ip
| where failed > 0 and accepted > 0
| sort -failed`,
    },
    {
      title: 'What did those who guessed do once they were in?',
      why: '`let` gives a query a name, and a semi join keeps the rows whose address stands in its answer.',
      query: `let $guessers = "Failed password"
  | extend ip = extract(_raw, r"from (\\S+) port")
  | count by ip
  | where \`count()\` >= 10;
sshd Accepted
| parse regex r"Accepted (?<how>\\w+) for (?<user>\\S+) from (?<ip>\\S+)"
| join type=semi on ip with $guessers
| stats count() as logins, dc(user) as users, min(_time) as first, max(_time) as last by ip, how`,
    },
    {
      title: 'When were the attacks?',
      why: 'A series a day, days without any failure included.',
      query: `Failed password
| extend ip = extract(_raw, r"from (\\S+) port")
| every 1d stats count() as failed, dc(ip) as addresses
| fill 1d
| head 12`,
    },
    {
      title: 'Is that more than on the day before?',
      why: '`compare 1d` asks the same of the day before, and sets the numbers side by side.',
      query: `from main[2026-03-30..2026-03-31] "Failed password"
| extend ip = extract(_raw, r"from (\\S+) port")
| stats count() as failed by ip
| compare 1d
| where failed > 0
| sort -failed, ip | head 5`,
    },
    {
      title: 'How long does an attack last, and how fast is it?',
      why: '`sessionize` cuts what one address does wherever it pauses for ten minutes.',
      query: `Failed password
| extend ip = extract(_raw, r"from (\\S+) port")
| sessionize maxpause=10m by ip
| stats count() as attempts, min(_time) as start, range(_time) as took by ip, session
| where attempts >= 10
| extend per_minute = round(attempts / (took / 1m), 1)
| keep ip, start, took, attempts, per_minute
| sort -attempts`,
    },
    {
      title: 'From an account’s first failure to its login',
      why: '`transaction` joins the lines of one sshd process from a failure to what ended it.',
      query: `parse syslog | where appname == "sshd"
| extend result = extract(message, r"^(Failed|Accepted) password")
| where not is_null(result)
| transaction procid maxspan=5m endswith=(result == "Accepted")
| where closed and events > 1
| keep _time, procid, events, duration, message`,
    },
    {
      title: 'Who became root, and what for?',
      why: 'sudo writes what was run. Whoever reads an audit starts here.',
      query: `sudo COMMAND
| parse regex r"sudo: +(?<user>\\S+) : .*USER=(?<as>\\S+) ; COMMAND=(?<command>\\S+)"
| stats count() as times, latest(_time) as last by user, as, command
| sort -times, command | head 8`,
    },
    {
      title: 'Was an account made, or a group changed?',
      why: 'New accounts are rare enough to look at every one.',
      query: `parse syslog
| where appname in ["useradd", "groupadd", "usermod", "passwd"] and contains(message, "new")
| parse regex r"new (?<what>\\w+): name=(?<name>[^,]+)" from message
| stats count() as made, values(name) as names, min(_time) as first by appname, what
| sort -made`,
    },
    {
      title: 'What stood around one odd line?',
      why: '`context` shows the lines before and after each match, whatever they are about; `context` says which one was asked for.',
      query: `"data deleted"
| context 2
| head 5
| keep context, _raw`,
    },
  ],
}
