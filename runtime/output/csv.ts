/** Rows as CSV (RFC 4180) and TSV. Missing and null are empty. */
import type { Value } from '../../storage/value.ts'
import { valueToText } from '../helpers/format-value.ts'

export function csvRow(values: readonly Value[]): string {
  return `${values.map(value => csvField(cell(value))).join(',')}\r\n`
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

export function tsvRow(values: readonly Value[]): string {
  const escaped = (text: string): string => text.replace(/[\t\n\r\\]/g, char => TSV_ESCAPES[char]!)
  return `${values.map(value => escaped(cell(value))).join('\t')}\n`
}

function cell(value: Value): string {
  return value === null || value === undefined ? '' : valueToText(value)
}
