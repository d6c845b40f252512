/** Questions to the access log of a web site. */
import type { CookbookSection } from './entry.ts'

export const APACHE: CookbookSection = {
  title: 'A web server: apache-access.log',
  about:
    'Four days of a personal web site, 10,000 requests in the combined format. Every line has its time, so `_time` is that of the request.',
  file: 'apache-access.log',
  entries: [
    {
      title: 'What goes wrong, and for whom?',
      why: 'Failures by their status: how many, how many clients have them, and what was asked for last.',
      query: `parse combined
| where status >= 400
| stats count() as hits, dc(clientip) as clients, latest(request) as last by status
| sort -hits`,
    },
    {
      title: 'What is there to choose from?',
      why: '`facets` counts the values of several fields in one go: what a search page shows at its side.',
      query: `parse combined
| facets method, httpversion, status limit=4`,
    },
    {
      title: 'What does the traffic of a day look like?',
      why: 'By the hour of the day, over all days: when to deploy, and what "unusual" would be measured against.',
      query: `parse combined
| extend hour = strftime(_time, "%H")
| stats count() as requests, dc(clientip) as clients, sum(bytes) as bytes by hour
| sort hour
| extend bytes = format_bytes(bytes)
| head 12`,
    },
    {
      title: 'Which addresses look for what is not there?',
      why: 'A scanner asks for many different pages that do not exist. The list of them says what it hopes for.',
      query: `parse combined | where status == 404
| stats dc(request) as pages, count() as hits, topk(request, 3) as examples by clientip
| where pages >= 4
| sort -pages, clientip`,
    },
    {
      title: 'Who takes most of the bandwidth?',
      why: 'Bytes by client, and its share of all bytes. `eventstats` puts the total of all rows beside each.',
      query: `parse combined
| stats sum(bytes) as bytes, count() as requests by clientip
| where not is_null(bytes)
| eventstats sum(bytes) as all
| extend percent = round(100 * bytes / all, 1), bytes = format_bytes(bytes)
| keep clientip, requests, bytes, percent
| sort -percent | head 6`,
    },
    {
      title: 'How few clients make most of the requests?',
      why: '`impact` ranks by share and adds the shares up: whom to speak to first.',
      query: `parse combined
| impact by clientip
| extend percent = round(100 * share, 1), together = round(100 * cumulative, 1)
| keep clientip, \`count()\`, percent, together
| head 6`,
    },
    {
      title: 'Which programs come here, and which are robots?',
      why: '`useragent_parse` makes an object of the agent; its members are fields like any other.',
      query: `parse combined
| extend ua = useragent_parse(agent)
| stats count() as requests, dc(clientip) as clients by ua.browser, ua.device
| sort -requests | head 10`,
    },
    {
      title: 'How large are the answers, by kind of file?',
      why: 'The median says what is usual, the 99th percentile what is paid for.',
      query: `parse combined
| extend kind = lower(extract(request, r"\\.([A-Za-z0-9]{2,4})(?:\\?|$)")) ?? "page"
| where exists(bytes)
| percentiles bytes by kind
| sort -\`p99(bytes)\`
| head 8`,
    },
    {
      title: 'Is the share of failures growing?',
      why: '`proportion` counts what a condition is true of, against everything.',
      query: `parse combined
| proportion status >= 400 as failing every 1d`,
    },
    {
      title: 'What do the failing requests have in common?',
      why: '`diff` compares the events a condition is true of with all others, over every field, and ranks what sets them apart.',
      query: `parse combined
| diff (status == 404)
| where difference > 0.1
| keep field, test, value, matching_share, rest_share`,
    },
    {
      title: 'Where do the dead links come from?',
      why: 'A page that is asked for from a page of our own can be mended.',
      query: `parse combined | where status == 404 and contains(referrer, "semicomplete.com")
| top 5 request by referrer
| head 6`,
    },
    {
      title: 'Which client left the usual?',
      why: 'Requests an hour of each client, and hours that are far above what it otherwise does.',
      query: `parse combined
| every 1h by clientip stats count() as requests
| outliers field=requests method=mad threshold=6 by clientip
| sort -requests | head 6`,
    },
    {
      title: 'How do people move through the site?',
      why: 'Visits are what one client does without a pause of half an hour. How many pages, how long, and where they began.',
      query: `parse combined | where status == 200
| sessionize maxpause=30m by clientip
| stats count() as requests, range(_time) as took, earliest(request) as entry by clientip, session
| stats count() as visits, median(requests) as requests, median(took) as took by entry
| sort -visits, entry | head 6`,
    },
    {
      title: 'How many requests will there be in the next hours?',
      why: '`forecast` needs a regular series, which `fill` makes; it says how sure it is.',
      query: `parse combined
| every 1h stats count() as requests
| fill 1h
| forecast requests 4
| tail 6`,
    },
    {
      title: 'Hours and days at once',
      why: '`rollup` counts in several widths of time in one pass.',
      query: `parse combined
| rollup 1d, 12h stats count() as requests, dc(clientip) as clients
| sort _time, -width
| head 8`,
    },
    {
      title: 'Do large answers and late hours belong together?',
      why: '`correlate` says how strongly two numbers go together, before a theory is built on it.',
      query: `parse combined
| every 1h stats count() as requests, sum(bytes) as bytes, dc(clientip) as clients
| correlate requests bytes clients`,
    },
  ],
}
