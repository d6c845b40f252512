/** Random events of security devices. */
import { ip, type LineMaker, message, plainMessage } from './parts.ts'

function cefValue(text: string): string {
  return text.replace(/[\\=]/g, '\\$&').replaceAll('\n', '\\n')
}

export const SECURITY_LINES = {
  cef: random => {
    const header = {
      cefVersion: 0,
      deviceVendor: random.pick(['Security', 'A|B', 'c\\d']),
      deviceProduct: 'threatmanager',
      deviceVersion: '1.0',
      deviceEventClassId: String(random.int(1, 999)),
      name: 'worm | stopped',
      severity: random.int(0, 10),
    }
    const extension = {
      src: ip(random),
      spt: random.int(1, 65_535),
      msg: message(random).trim(),
      act: 'blocked = yes\\no',
      cs1Label: 'two words',
    }
    const bars = Object.values(header).map(value => String(value).replace(/[\\|]/g, '\\$&'))
    const pairs = Object.entries(extension).map(([name, value]) => `${name}=${cefValue(String(value))}`)
    const front = random.pick(['', 'Sep 19 08:26:10 host ', '<134>1 2026-06-01T00:00:00Z fw - - - - '])
    return {
      format: 'cef',
      line: `${front}CEF:${bars.join('|')}|${pairs.join(' ')}`,
      fields: { ...header, ...extension },
    }
  },

  leef: random => {
    const isNew = random.chance(0.5)
    const delimiter = isNew ? random.pick(['^', '~', '\t']) : '\t'
    const declared = isNew ? `|${delimiter === '\t' ? random.pick(['x09', '0x09', '']) : delimiter}` : ''
    const header = {
      leefVersion: isNew ? '2.0' : '1.0',
      deviceVendor: 'Lancope',
      deviceProduct: 'StealthWatch',
      deviceVersion: '1.0',
      eventId: String(random.int(1, 99)),
    }
    const attributes = {
      src: ip(random),
      sev: random.int(1, 10),
      msg: plainMessage(random),
      devTime: 'Sep 19 2026 = x',
    }
    const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`)
    const line = `LEEF:${Object.values(header).join('|')}${declared}|${pairs.join(delimiter)}`
    return { format: 'leef', line, fields: { ...header, ...attributes } }
  },
} satisfies Readonly<Record<string, LineMaker>>
