/** The dashboard as Cloud Monitoring takes it: freshness against the promise first, then work, then what went wrong. */
import type { Feed } from '../../functions/feed/feed.ts'
import type { Names } from '../names.ts'

const MINUTES = '60s'
const HOURS = '3600s'
const COLUMNS = 2
const WIDTH = 24
const HEIGHT = 16

interface Series {
  readonly filter: string
  readonly aligner: string
  readonly period?: string
  readonly reducer?: string
  readonly by?: readonly string[]
}
interface Chart {
  readonly title: string
  readonly series: readonly Series[]
  readonly thresholds?: readonly { readonly value: number; readonly label: string }[]
}

/** A metric of the logs lies on the service that wrote the line. */
const ofLogs = (names: Names, key: string, more = '') =>
  `metric.type="logging.googleapis.com/user/${names.metricOf(key)}" resource.type="cloud_run_revision"${more}`

function dataSet({ filter, aligner, period = MINUTES, reducer = 'REDUCE_MAX', by = [] }: Series) {
  return {
    plotType: 'LINE',
    timeSeriesQuery: {
      timeSeriesFilter: {
        filter,
        aggregation: {
          alignmentPeriod: period,
          perSeriesAligner: aligner,
          crossSeriesReducer: reducer,
          groupByFields: by,
        },
      },
    },
  }
}

const chart = ({ title, series, thresholds = [] }: Chart) => ({
  title,
  xyChart: { dataSets: series.map(dataSet), thresholds, yAxis: { scale: 'LINEAR' } },
})

function freshness(names: Names, { name, refresh }: Feed): Chart {
  const feed = ` metric.label.feed="${name}"`
  const by = ['metric.label.feed']
  return {
    title: `${name}: seconds until served, promise ${refresh.withinSeconds}`,
    series: [
      { filter: ofLogs(names, 'refresh-seconds', feed), aligner: 'ALIGN_PERCENTILE_99', by },
      { filter: ofLogs(names, 'waiting-seconds', feed), aligner: 'ALIGN_PERCENTILE_99', by },
    ],
    thresholds: [{ value: refresh.withinSeconds, label: 'promise' }],
  }
}

function work(names: Names): readonly Chart[] {
  const perFeed = (title: string, key: string, by = ['metric.label.feed']): Chart => ({
    title,
    series: [{ filter: ofLogs(names, key), aligner: 'ALIGN_PERCENTILE_50', period: HOURS, by }],
  })
  return [
    perFeed('Seconds of each stage', 'stage-seconds', ['metric.label.feed', 'metric.label.stage']),
    perFeed('Rows loaded', 'rows-loaded'),
    perFeed('Rows in the table', 'rows-after'),
    perFeed('Bytes read', 'bytes'),
    perFeed('Slot milliseconds', 'slot-ms'),
  ]
}

const outcomes = (names: Names): Chart => ({
  title: 'Refreshed, held, rejected, failed, late',
  series: [
    {
      filter: ofLogs(names, 'outcomes'),
      aligner: 'ALIGN_DELTA',
      period: HOURS,
      reducer: 'REDUCE_SUM',
      by: ['metric.label.feed', 'metric.label.status'],
    },
  ],
})

/** The JSON of the dashboard; one chart for each feed, and six for all. */
export function planDashboard(names: Names, feeds: readonly Feed[]): object {
  const charts = [...feeds.map(feed => freshness(names, feed)), outcomes(names), ...work(names)]
  return {
    displayName: `Freshet: ${names.prefix}`,
    mosaicLayout: {
      columns: WIDTH * COLUMNS,
      tiles: charts.map((one, at) => ({
        xPos: (at % COLUMNS) * WIDTH,
        yPos: Math.floor(at / COLUMNS) * HEIGHT,
        width: WIDTH,
        height: HEIGHT,
        widget: chart(one),
      })),
    },
  }
}
