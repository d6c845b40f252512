/** cef and leef, plainly. */
import type { Value } from '../../../storage/value.ts'
import { type Found, typed } from './texts.ts'

const BARRED = '((?:[^|\\\\]|\\\\.)*)\\|'

function bareText(text: string): string {
  return text.replace(/\\([\\|=nr])/g, (_, char: string) => ({ n: '\n', r: '\r' })[char] ?? char)
}

export function readCef(text: string): Found {
  const match = new RegExp(`CEF:${BARRED.repeat(7)}(.*)$`, 's').exec(text)
  if (match === null) return 'no match'
  const fields = new Map<string, Value>()
  const pieces = (match[8] as string).split(/(?:^| )([\w.[\]-]+)=/)
  // A key that is the value's beginning (`a=b=c`) belongs to the value: the split needs a space in front.
  for (let i = 1; i + 1 < pieces.length; i += 2)
    fields.set(pieces[i] as string, typed(bareText((pieces[i + 1] as string).trimEnd())))
  const names = [
    'cefVersion',
    'deviceVendor',
    'deviceProduct',
    'deviceVersion',
    'deviceEventClassId',
    'name',
    'severity',
  ]
  for (const [i, name] of names.entries()) {
    const value = match[i + 1] as string
    if (value !== '') fields.set(name, name === 'cefVersion' || name === 'severity' ? typed(value) : bareText(value))
  }
  return fields
}

export function readLeef(text: string): Found {
  const match = new RegExp(`LEEF:${BARRED.repeat(5)}(.*)$`, 's').exec(text)
  if (match === null) return 'no match'
  const declared = (match[1] as string).startsWith('2')
    ? /^(?:(?:0?x([0-9a-fA-F]{1,4}))|([^|]?))\|(.*)$/s.exec(match[6] as string)
    : null
  const delimiter =
    declared?.[1] !== undefined ? String.fromCharCode(Number.parseInt(declared[1], 16)) : declared?.[2] || '\t'
  const fields = new Map<string, Value>()
  for (const piece of (declared?.[3] ?? (match[6] as string)).split(delimiter)) {
    const [, name, value] = /^\s*(.*?)\s*=(.*)$/s.exec(piece) ?? []
    if (name !== undefined && name !== '') fields.set(name, typed((value as string).trim()))
  }
  for (const [i, name] of ['leefVersion', 'deviceVendor', 'deviceProduct', 'deviceVersion', 'eventId'].entries()) {
    if (match[i + 1] !== '') fields.set(name, bareText(match[i + 1] as string))
  }
  return fields
}
