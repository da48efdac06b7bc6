/** Time: one run stage by stage against the promise, and the refreshes of a day. */
import type { Estimate, WayEstimate } from '../../functions/estimate/estimate.ts'
import { formatMinutes } from '../estimate-rows.ts'
import { html, type Markup } from './html.ts'

const DAY = 86_400
const secondsOf = ({ times }: WayEstimate) => times.reduce((sum, { seconds }) => sum + seconds, 0)
const possible = ({ ways }: Estimate) => ways.filter(({ impossible }) => impossible === undefined)

/** Names that fit into their segment, at about 0.6 % of the width for a letter. */
function drawStages(way: WayEstimate, scale: number): Markup[] {
  return way.times.map(({ stage, seconds }) => {
    const width = (100 * seconds) / scale
    const fits = width > stage.length * 1.1 + 1.5
    return html`<div class="stage ${stage}${fits ? '' : ' clip'}" style="width:${width}%" title="${stage}: ${formatMinutes(seconds)}">${fits ? stage : ''}</div>`
  })
}

const MEANS: Readonly<Record<string, string>> = {
  waiting: 'waiting: events, polling, what is done by metadata',
}

function drawLegend(ways: readonly WayEstimate[]): Markup {
  const found = new Set(ways.flatMap(({ times }) => times.map(({ stage }) => stage)))
  const stages = [...found].filter(stage => stage !== 'waiting').concat('waiting')
  return html`<ul class="legend">${stages.map(stage => html`<li><i class="${stage}"></i>${MEANS[stage] ?? stage}</li>`)}</ul>`
}

export function drawRun(estimate: Estimate): Markup {
  const { workload, strategy } = estimate
  const ways = possible(estimate)
  const scale = 1.18 * Math.max(workload.withinSeconds, ...ways.map(secondsOf))
  const promise = (100 * workload.withinSeconds) / scale
  const bars = ways.map(
    way => html`<div class="bar${way.name === strategy ? ' own' : ''}"><span>${way.name}</span>
<div class="track"><div class="stages">${drawStages(way, scale)}</div><i class="limit" style="left:${promise}%"></i>
<span class="value" style="left:${(100 * secondsOf(way)) / scale}%">${formatMinutes(secondsOf(way))}</span></div></div>`,
  )
  return html`<figure>${bars}
<div class="bar"><span></span><div class="axis"><span class="start" style="left:0">the last object lands</span><span style="left:${promise}%">promised: ${formatMinutes(workload.withinSeconds)}</span></div></div>${drawLegend(ways)}</figure>`
}

/** A run that lasts into the next arrival is drawn to its end: that is what there is to see. */
function drawDayOf(way: WayEstimate, { workload, strategy }: Estimate): Markup {
  const seconds = secondsOf(way)
  const late = seconds > workload.withinSeconds
  const runs = Math.max(1, Math.round(workload.runsADay))
  const spans = Array.from({ length: Math.min(runs, 288) }, (_, at) => {
    const left = (100 * at) / runs
    const width = (of: number) => Math.min((100 * of) / DAY, 100 - left)
    return html`<i class="promise" style="left:${left}%;width:${width(workload.withinSeconds)}%"></i><i class="refresh${late ? ' late' : ''}" style="left:${left}%;width:${width(seconds)}%"></i>`
  })
  return html`<div class="bar${way.name === strategy ? ' own' : ''}"><span>${way.name}</span><div class="track day">${spans}</div></div>`
}

const HOURS = [0, 4, 8, 12, 16, 20, 24]

export function drawDay(estimate: Estimate): Markup {
  const hours = HOURS.map(hour => {
    const side = hour === 0 ? 'start' : hour === 24 ? 'end' : hour % 12 === 0 ? '' : 'minor'
    return html`<span class="${side}" style="left:${(100 * hour) / 24}%">${String(hour).padStart(2, '0')}:00</span>`
  })
  return html`<figure>${possible(estimate).map(way => drawDayOf(way, estimate))}
<div class="bar"><span></span><div class="axis">${hours}</div></div></figure>`
}
