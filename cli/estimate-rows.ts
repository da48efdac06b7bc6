/** An estimate as a table of texts, one row a figure and one column a way: for the terminal and for the page. */
import type { Estimate, WayEstimate } from '../functions/estimate/estimate.ts'
import type { Offer } from '../functions/estimate/slots.ts'
import { formatCount } from './quantity.ts'

export interface FigureRow {
  readonly label: string
  readonly cells: readonly string[]
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** `14995514314752` → `13.6 TiB`: prices are by the TiB. */
export function formatBinary(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(BINARY.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** unit
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits })} ${BINARY[unit]}`
}

export function formatDollars(dollars: number): string {
  const digits = dollars >= 100 || dollars === 0 ? 0 : 2
  if (dollars > 0 && dollars < 0.01) return '< $0.01'
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

export const formatMinutes = (seconds: number): string =>
  seconds < 594 ? `${(seconds / 60).toFixed(1)} min` : `${formatCount(Math.round(seconds / 60))} min`

const formatNumber = (value: number) =>
  value > 0 && value < 0.1
    ? '< 0.1'
    : value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })

/** The table of the way that comes nearest to its limit; landing is a new one each time. */
function worstUse({ limits }: WayEstimate, what: string): string {
  const uses = limits.filter(({ limit }) => limit.startsWith(what) && !limit.endsWith('landing'))
  const worst = uses.toSorted((a, b) => b.used / b.max - a.used / a.max)[0]
  if (!worst) return '0'
  return `${formatNumber(worst.used)} of ${formatCount(worst.max)} (${Math.round((100 * worst.used) / worst.max)} %)`
}

const PLANS: readonly (readonly [Offer['edition'], Offer['plan'], string])[] = [
  ['STANDARD', 'AUTOSCALE', 'STANDARD'],
  ['ENTERPRISE', 'AUTOSCALE', 'ENTERPRISE'],
  ['ENTERPRISE', 'ANNUAL', '  1 year committed'],
  ['ENTERPRISE', 'THREE_YEAR', '  3 years committed'],
  ['ENTERPRISE_PLUS', 'AUTOSCALE', 'ENTERPRISE PLUS'],
  ['ENTERPRISE_PLUS', 'ANNUAL', '  1 year committed'],
  ['ENTERPRISE_PLUS', 'THREE_YEAR', '  3 years committed'],
]

const findOffer = ({ offers }: WayEstimate, edition: Offer['edition'], plan: Offer['plan']) =>
  offers.find(offer => offer.edition === edition && offer.plan === plan)

/** A price that does not keep the promise is no price. */
function showOffer(offer: Offer | undefined): string {
  if (!offer) return '–'
  return offer.keepsPromise
    ? formatDollars(offer.money.month)
    : `no: ${formatMinutes(offer.seconds)} at ${formatCount(offer.slots)}`
}

function showOnDemand(way: WayEstimate, of: 'run' | 'day' | 'month'): string {
  const offer = findOffer(way, 'ON_DEMAND', 'BY_THE_BYTE')
  return offer ? formatDollars(offer.money[of]) : '–'
}

const showSlots = (way: WayEstimate) => {
  const offer = findOffer(way, 'ENTERPRISE', 'AUTOSCALE')
  return offer ? formatCount(offer.slots) : 'none do'
}

export function describeFigures({ ways, slots, workload }: Estimate): FigureRow[] {
  const row = (label: string, show: (way: WayEstimate) => string): FigureRow => ({
    label,
    cells: ways.map(way => (way.impossible === undefined ? show(way) : '–')),
  })
  const within = Math.round(workload.withinSeconds / 60)
  return [
    row('read by queries, a run', ({ run }) => formatBinary(run.scannedBytes)),
    row('  a day', ({ day }) => formatBinary(day.scannedBytes)),
    row('written, a run', ({ run }) => formatBinary(run.writtenBytes)),
    row('  a day', ({ day }) => formatBinary(day.writtenBytes)),
    row('streamed, a run', ({ run }) => (run.streamedBytes > 0 ? formatBinary(run.streamedBytes) : '–')),
    row('partition modifications, a day', way => worstUse(way, 'partition modifications')),
    row('table operations, a day', way => worstUse(way, 'table operations')),
    row('on demand, a run', way => showOnDemand(way, 'run')),
    row('  a day', way => showOnDemand(way, 'day')),
    row('  a month', way => showOnDemand(way, 'month')),
    row(
      'slot-hours, a run',
      ({ run, measured }) => `${formatNumber(run.slotHours)}${measured ? ' measured' : ''}`,
    ),
    row(`slots that keep ${within} minutes`, showSlots),
    ...PLANS.map(([edition, plan, label]) =>
      row(`${label}, a month`, way => showOffer(findOffer(way, edition, plan))),
    ),
    row(`a run at ${formatCount(slots)} slots`, ({ times }) =>
      formatMinutes(times.reduce((sum, { seconds }) => sum + seconds, 0)),
    ),
  ]
}
