/** Figures as people read them: times, bytes, shares, counts. */

export function nanoseconds(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`
  if (ns < 1e6) return `${(ns / 1e3).toFixed(1)} µs`
  return ns < 1e9 ? `${(ns / 1e6).toFixed(1)} ms` : `${(ns / 1e9).toFixed(2)} s`
}

export function byteCount(bytes: number): string {
  if (bytes < 1e3) return `${Math.round(bytes)} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

export function percent(share: number): string {
  const value = share * 100
  return `${value >= 10 || value === 0 ? Math.round(value) : value >= 0.1 ? value.toFixed(1) : '< 0.1'} %`
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** `1 part`, `2 parts` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}
