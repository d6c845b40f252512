/**
 * Who sent a request, by its User-Agent. A table of ours, kept short: the browsers, systems, bots and tools that make up nearly all
 * traffic, first match wins. What it does not know it leaves out; it never guesses. A new one is one line.
 */
import type { Value } from '../../storage/value.ts'
import { toText } from './format-value.ts'

/** A name, and the pattern that tells it; its first group is the version. */
type Rule = readonly [name: string, pattern: RegExp]

/** Longer ones are made to be long; the tables below are tried in turn, so length is what they cost. */
const MAX_LENGTH = 1024

/** Programs whose name is not found where others have theirs. */
const BOTS: readonly Rule[] = [
  ['Googlebot', /Googlebot(?:-\w+)?(?:\/(\d+[\d.]*))?/],
  ['Yahoo Slurp', /Yahoo! Slurp/],
  ['Facebook', /facebookexternalhit(?:\/(\d+[\d.]*))?/],
]
/** Words by which a program says that it is one; and its name around such a word, unless that is part of an address. */
const BOT = /bot\b|crawl|spider|archiver|fetcher|scanner|slurp|monitor|\+https?:\/\//i
const NAMED_BOT =
  /(?<![\w./-])([\w.-]{0,40}(?:bot|crawler|spider|archiver|fetcher|scanner|monitor)\b[\w.-]{0,20})(?:\/(\d+[\d.]*))?/i
/** `Mozilla/5.0 (compatible; Name/1.0; …)` is how programs introduce themselves; browsers that did so are long gone. */
const COMPATIBLE = /\(compatible; (?!MSIE|Konqueror)([\w.-]{1,40})(?:\/(\d+[\d.]*))?/
/** `name/1.2` in front, with nothing of a browser: a library, a reader, a probe. */
const PRODUCT = /^((?!Mozilla|Opera|Lynx)[A-Za-z][\w.-]{0,40}(?: [A-Z][\w.-]{0,20}){0,3})\/v?(\d+[\d._]*)/

const TOOLS: readonly Rule[] = [
  ['python-requests', /python-requests\/(\d+[\d.]*)/],
  ['okhttp', /okhttp\/(\d+[\d.]*)/],
  ['Boto3', /\bBoto3\/(\d+[\d.]*)/],
  ['Node.js', /^(?:node|undici)$/],
]

/** Most browsers name those they descend from, so the youngest stand first. */
const BROWSERS: readonly Rule[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+[\d.]*)/],
  ['Opera Mini', /Opera Mini\/(\d+[\d.]*)/],
  ['Opera', /\bOPR\/(\d+[\d.]*)/],
  ['Opera', /^Opera\/.{0,200}Version\/(\d+[\d.]*)/],
  ['Opera', /\bOpera[/ ](\d+[\d.]*)/],
  ['Samsung Internet', /SamsungBrowser\/(\d+[\d.]*)/],
  ['Vivaldi', /Vivaldi\/(\d+[\d.]*)/],
  ['Yandex', /YaBrowser\/(\d+[\d.]*)/],
  ['UC Browser', /UC ?Browser\/(\d+[\d.]*)/],
  ['Brave', /\bBrave(?:\/(\d+[\d.]*))?/],
  ['SeaMonkey', /SeaMonkey\/(\d+[\d.]*)/],
  ['Firefox', /\b(?:Firefox|FxiOS|Iceweasel)\/(\d+[\d.]*)/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\/(\d+[\d.]*)/],
  ['Internet Explorer', /\bMSIE (\d+[\d.]*)/],
  ['Internet Explorer', /Trident\/.{0,100}\brv:(\d+[\d.]*)/],
  ['Android Browser', /Android.{0,200}Version\/(\d+[\d.]*)/],
  ['Safari', /Version\/(\d+[\d.]*).{0,60}Safari/],
  ['Safari', /\bMobile\/\w+ Safari|iP(?:hone|ad|od).{0,100}AppleWebKit/],
  ['Konqueror', /Konqueror\/(\d+[\d.]*)/],
  ['Lynx', /^Lynx\/(\d+[\d.]*)/],
]

const SYSTEMS: readonly Rule[] = [
  ['Windows Phone', /Windows Phone(?: OS)? (\d+[\d.]*)/],
  ['Xbox', /\bXbox\b/],
  ['Windows', /Windows NT (\d+\.\d+)/],
  ['Windows', /Windows (98|95|2000|XP|ME)/],
  ['iOS', /(?:iPhone|iPad|iPod)(?:.{0,80}? OS (\d+(?:_\d+)*))?/],
  ['Android', /\bAndroid(?: (\d+[\d.]*))?/],
  ['macOS', /Mac OS X(?: (\d+(?:[._]\d+)*))?/],
  ['ChromeOS', /\bCrOS \w+ (\d+[\d.]*)/],
  ['Tizen', /Tizen (\d+[\d.]*)/],
  ['webOS', /\bWeb0S\b/],
  ['PlayStation', /PlayStation(?: Vita)? ?(\d+)?/],
  ['FreeBSD', /FreeBSD/],
  ['OpenBSD', /OpenBSD/],
  ['Linux', /\b(?:Linux|X11|Ubuntu|Fedora|Debian)\b/i],
]

/** What Microsoft calls the kernels that browsers name. */
const WINDOWS_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['10.0', '10'],
  ['6.3', '8.1'],
  ['6.2', '8'],
  ['6.1', '7'],
  ['6.0', 'Vista'],
  ['5.2', 'XP'],
  ['5.1', 'XP'],
  ['5.0', '2000'],
])

const TV = /\b(?:SmartTV|Smart-TV|Web0S|AppleTV|GoogleTV|HbbTV|BRAVIA|Roku|CrKey)\b|PlayStation|Xbox/i
const TABLET = /\biPad\b|\bTablet\b|\bKindle\b|\bSilk\//i
const MOBILE = /\bMobi(?:le)?\b|\biPhone\b|\biPod\b|Windows Phone|Opera Mini|BlackBerry/i

interface Found {
  readonly name: string
  readonly version: string | undefined
}

function find(rules: readonly Rule[], text: string): Found | null {
  for (const [name, pattern] of rules) {
    const match = pattern.exec(text)
    if (match !== null) return { name, version: match[1] }
  }
  return null
}

function findBot(text: string): Found | null {
  const known = find(BOTS, text)
  if (known !== null) return known
  const compatible = match(COMPATIBLE, text)
  if (!BOT.test(text)) return compatible
  return match(NAMED_BOT, text) ?? compatible ?? match(PRODUCT, text)
}

function match(pattern: RegExp, text: string): Found | null {
  const found = pattern.exec(text)
  return found === null ? null : { name: found[1] as string, version: found[2] }
}

/** `desktop mobile tablet tv` of browsers, `bot`, `tool`, and `other` for what the tables do not know. */
function deviceOf(text: string, browser: Found | null, system: Found | null): string {
  if (TV.test(text)) return 'tv'
  const isMobile = MOBILE.test(text)
  // An Android device that does not call itself mobile is a tablet: that is how Android's makers ask for it.
  if (TABLET.test(text) || (system?.name === 'Android' && !isMobile)) return 'tablet'
  if (isMobile) return 'mobile'
  return browser !== null && system !== null ? 'desktop' : 'other'
}

/** `{browser, browser_version, os, os_version, device}`; what is not known is left out. */
function userAgentParse(value: Value): Value {
  const whole = toText(value)
  if (whole === null) return null
  const text = whole.slice(0, MAX_LENGTH)
  const bot = findBot(text)
  const tool = bot === null ? (find(TOOLS, text) ?? match(PRODUCT, text)) : null
  const program = bot ?? tool ?? find(BROWSERS, text)
  const system = find(SYSTEMS, text)
  const parts: Record<string, Value> = {}
  if (program !== null) parts.browser = program.name
  if (program?.version !== undefined) parts.browser_version = program.version
  if (system !== null) parts.os = system.name
  const version = system?.version?.replaceAll('_', '.')
  if (version !== undefined) {
    parts.os_version = (system?.name === 'Windows' ? WINDOWS_VERSIONS.get(version) : undefined) ?? version
  }
  parts.device = bot !== null ? 'bot' : tool !== null ? 'tool' : deviceOf(text, program, system)
  return parts
}

export const USER_AGENT_HELPERS = { userAgentParse }
