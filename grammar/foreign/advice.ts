/** Words of other languages for which there is no stage here, and what to do instead. `drop`: the query is right without it. */

export interface Advice {
  readonly message: string
  readonly drop?: true
}

export const ADVICE: ReadonlyMap<string, Advice> = new Map([
  ['render', { message: "'render' draws elsewhere; here rows come out, and whoever shows them draws", drop: true }],
  ['serialize', { message: "'serialize' is not needed: rows have their order", drop: true }],
  ['reverse', { message: "there is no 'reverse'; sort by what gives the order, 'sort _time' or 'sort -_time'" }],
  ['transpose', { message: "there is no 'transpose'; 'xyseries x y v' makes columns of values" }],
  ['addtotals', { message: "there is no 'addtotals'; a second stats over the rows makes totals" }],
  ['inputlookup', { message: "there is no 'inputlookup'; a lookup table is read by 'lookup name on key'" }],
  ['outputlookup', { message: "there is no 'outputlookup'; a query does not write" }],
  ['convert', { message: "there is no 'convert'; int(), float(), strftime() and strptime() in an extend convert" }],
  ['offset', { message: "there is no 'offset'; ask for the page with the request's offset and limit" }],
  ['evaluate', { message: "there is no 'evaluate'; functions stand in an extend" }],
  ['line_format', { message: "there is no 'line_format'; 'extend _raw = …' makes a text of fields" }],
  ['tstats', { message: "there is no 'tstats'; stats is answered from indexes and views by itself" }],
])
