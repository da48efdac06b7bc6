/** Numbers as people read them. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** `170114` → `170,114`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US')
}

/** `3251200` → `3.3 MB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toPrecision(2)} ${UNITS[unit]}`
}

/** `1` → `1 file`, `4` → `4 files`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
