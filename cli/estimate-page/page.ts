/** An estimate as one HTML page that loads nothing: the comparison, a run, the day, the figures, what to buy. */
import { describeFigures } from '../estimate-rows.ts'
import {
  describeBasis,
  describeCapacity,
  describeChoice,
  describeDoubt,
  type ShownEstimate,
} from '../print-estimate.ts'
import { formatCount } from '../quantity.ts'
import { drawBars } from './bars.ts'
import { html, type Markup } from './html.ts'
import { STYLE } from './style.ts'
import { drawDay, drawRun } from './timeline.ts'

function drawTable(shown: ShownEstimate): Markup {
  const own = (at: number) => (shown.ways[at]?.name === shown.strategy ? 'own' : '')
  const head = shown.ways.map(({ name }, at) => html`<th class="${own(at)}" scope="col">${name}</th>`)
  const rows = describeFigures(shown).map(
    ({ label, cells }) =>
      html`<tr><th scope="row">${label}</th>${cells.map((cell, at) => html`<td class="${own(at)}">${cell}</td>`)}</tr>\n`,
  )
  return html`<div class="scroll"><table><thead><tr><th></th>${head}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function drawNotes({ ways, warnings }: ShownEstimate): Markup {
  const notes = ways.flatMap(({ name, notes, impossible }) => [
    ...(impossible === undefined ? [] : [`${name}: not possible, ${impossible}.`]),
    ...notes.map(note => `${name}: ${note}`),
  ])
  const list = (lines: readonly string[]) =>
    html`<ul class="warnings">${lines.map(line => html`<li>${line}</li>`)}</ul>`
  const watch =
    warnings.length > 0 ? html`<h2>Look out</h2>${list(warnings.map(text => `${text}.`))}` : html``
  return html`${watch}<h2>What the ways are</h2>${list(notes)}`
}

const drawCapacity = (shown: ShownEstimate): Markup =>
  shown.capacity
    ? html`<h2>What to write into the stack's file</h2><pre>${describeCapacity(shown)}</pre>`
    : html``

export function encodeEstimatePage(shown: ShownEstimate): string {
  const slots = formatCount(shown.slots)
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shown.feed}: what a refresh takes</title><style>${STYLE}</style></head>
<body>
<h1>${shown.feed}: what a refresh takes</h1>
<p class="soft">Four ways to keep ${shown.table} fresh, as Freshet estimates them. The feed's own is ${shown.strategy}.</p>
<ul class="basis">${describeBasis(shown).map(line => html`<li>${line}</li>`)}</ul>
<p class="choice">${describeChoice(shown)} <span class="soft">${describeDoubt(shown)}</span></p>
<h2>Side by side</h2>
${drawBars(shown)}
<h2>One run, from arrival to refreshed table</h2>
<p class="soft">All at ${slots} slots, which is what ${shown.strategy} needs to keep the promise.</p>
${drawRun(shown)}
<h2>The day</h2>
<p class="soft">Each box is a promise, from arrival on; each bar is the run in it, at ${slots} slots. Arrivals are spread evenly.</p>
${drawDay(shown)}
<h2>All figures</h2>
${drawTable(shown)}
${drawCapacity(shown)}
${drawNotes(shown)}
</body>
</html>
`.text
}
