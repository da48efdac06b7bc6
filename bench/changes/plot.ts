/** The medians as bars, for RESULTS.md. */
import type { Median } from './judge.ts'

const [width, bar, label] = [720, 22, 250]
const COLOURS: Readonly<Record<Median['side'], string>> = {
  'changed-partitions': '#0b7285',
  'changed-by-path': '#15aabf',
  script: '#868e96',
  merge: '#adb5bd',
  'rewrite-anti-join': '#3bc9db',
  'rewrite-window': '#99e9f2',
}

export function plotSvg(medians: readonly Median[]): string {
  const most = Math.max(...medians.map(m => m.seconds))
  const scale = (width - label - 80) / most
  const bars = medians.map((m, at) => {
    const y = 10 + at * (bar + 6)
    const long = Math.max(1, m.seconds * scale)
    return [
      `<text x="${label - 8}" y="${y + 15}" text-anchor="end">${m.kind}: ${m.side}</text>`,
      `<rect x="${label}" y="${y}" width="${long.toFixed(1)}" height="${bar}" fill="${COLOURS[m.side]}"/>`,
      `<text x="${(label + long + 6).toFixed(1)}" y="${y + 15}">${m.seconds.toFixed(2)} s</text>`,
    ].join('\n')
  })
  const height = 20 + medians.length * (bar + 6)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
${bars.join('\n')}
</svg>
`
}
