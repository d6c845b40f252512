/** The escapes of two characters that `JSON.stringify` writes: the byte behind the backslash, and the one it stands for. */
export const SHORT_ESCAPES: readonly (readonly [letter: number, byte: number])[] = [
  ['"', '"'],
  ['\\', '\\'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
].map(([letter, text]) => [letter!.charCodeAt(0), text!.charCodeAt(0)])
