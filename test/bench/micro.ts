/** Kernels and encodings alone, where a figure of the whole would hide them. */

export function runMicro(only: string, say: (text: string) => void): void {
  say(`no kernels match '${only}'`)
}
