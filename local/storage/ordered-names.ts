/** Names in the order of their UTF-8 bytes, which is how Cloud Storage lists and not how JavaScript compares. */

/** UTF-16 order differs from byte order only where surrogates meet U+E000 and above: lift surrogates over those. */
const weight = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = weight(a.charCodeAt(at)) - weight(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** The first position whose name is not before `name`. */
export function lowerBound(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareNames(names[middle] ?? '', name) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The first position behind all names that start with `prefix`. */
export function prefixEnd(names: readonly string[], prefix: string, from: number): number {
  let [low, high] = [from, names.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const name = names[middle] ?? ''
    if (name.startsWith(prefix) || compareNames(name, prefix) < 0) low = middle + 1
    else high = middle
  }
  return low
}

export function insertName(names: string[], name: string): void {
  const at = lowerBound(names, name)
  if (names[at] !== name) names.splice(at, 0, name)
}

export function removeName(names: string[], name: string): void {
  const at = lowerBound(names, name)
  if (names[at] === name) names.splice(at, 1)
}
