/** The comparison: one small chart a figure, a bar for each way, the limit where there is one. */
import type { Estimate, WayEstimate } from '../../functions/estimate/estimate.ts'
import { TIB } from '../../functions/estimate/step.ts'
import { formatBinary, formatDollars } from '../estimate-rows.ts'
import { formatCount } from '../quantity.ts'
import { html, type Markup } from './html.ts'

interface Chart {
  readonly title: string
  readonly of: (way: WayEstimate) => number | undefined
  readonly show: (value: number) => string
  readonly limit?: { readonly value: number; readonly text: string }
}

const mostModified = ({ limits }: WayEstimate) =>
  Math.max(
    0,
    ...limits
      .filter(({ limit }) => /^partition modifications of (staging|target)$/.test(limit))
      .map(({ used }) => used),
  )

const CHARTS: readonly Chart[] = [
  {
    title: 'The cheapest month that keeps the promise',
    of: ({ choice }) => choice?.money.month,
    show: formatDollars,
  },
  {
    title: 'Slot-hours of a run',
    of: ({ run }) => run.slotHours,
    show: hours => hours.toLocaleString('en-US', { maximumFractionDigits: hours < 10 ? 1 : 0 }),
  },
  {
    title: 'Read by queries in a day',
    of: ({ day }) => day.scannedBytes,
    show: formatBinary,
    limit: {
      value: 200 * TIB,
      text: '200 TiB: what a project may read in a day on demand, unless more is granted',
    },
  },
  {
    title: 'Partition modifications in a day, of the table with most',
    of: mostModified,
    show: count => formatCount(Math.round(count)),
    limit: { value: 30_000, text: '30,000: what BigQuery allows for a table' },
  },
]

function drawBar(chart: Chart, way: WayEstimate, strategy: string, scale: number): Markup {
  const value = way.impossible === undefined ? chart.of(way) : undefined
  const width = value === undefined ? 0 : (100 * value) / scale
  const over = chart.limit && value !== undefined && value > chart.limit.value
  const text = way.impossible ?? (value === undefined ? 'nothing keeps the promise' : chart.show(value))
  // A long bar carries its figure inside, a short one beside it.
  const inside = width > 55
  const place = inside ? `right:${100 - width}%` : `left:${width}%`
  const dash = chart.limit
    ? html`<i class="limit" style="left:${(100 * chart.limit.value) / scale}%"></i>`
    : html``
  return html`<div class="bar${way.name === strategy ? ' own' : ''}${over ? ' over' : ''}"><span>${way.name}</span>
<div class="track"><div class="fill" style="width:${width}%"></div>${dash}<span class="value${inside ? ' in' : ''}" style="${place}">${text}</span></div></div>`
}

function drawChart(chart: Chart, { ways, strategy }: Estimate): Markup {
  const values = ways.map(way => (way.impossible === undefined ? (chart.of(way) ?? 0) : 0))
  const most = Math.max(...values)
  // A limit far away would flatten the bars; it is drawn once it is in sight.
  const { limit, ...rest } = chart
  const shown: Chart = limit && limit.value <= most * 4 ? chart : rest
  const scale = Math.max(most, shown.limit?.value ?? 0, Number.MIN_VALUE)
  const caption = limit
    ? html`<figcaption>${shown.limit ? 'Dashed: ' : 'Far below '}${limit.text}.</figcaption>`
    : html``
  return html`<figure><h3>${chart.title}</h3>${ways.map(way => drawBar(shown, way, strategy, scale))}${caption}</figure>`
}

export const drawBars = (estimate: Estimate): Markup =>
  html`<div class="charts">${CHARTS.map(chart => drawChart(chart, estimate))}</div>`
