/** Prints a plan for people: its stages, their jobs, and the SQL as it will be sent. */
import type { JobBody, RunPlan } from '../functions/plan/run-plan.ts'
import { type Output, printLine } from './io.ts'
import { formatBytes, formatNumberOf } from './quantity.ts'

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function formatTable(value: unknown): string {
  return isRecord(value) ? [value.projectId, value.datasetId, value.tableId].join('.') : ''
}

function describeJob({ configuration: { load, copy, query } }: JobBody): readonly string[] {
  const write = (job: Readonly<Record<string, unknown>>) =>
    job.writeDisposition ? `, ${job.writeDisposition}` : ''
  if (load) {
    const uris = Array.isArray(load.sourceUris) ? load.sourceUris.join(' ') : ''
    return [`load ${uris} as ${load.sourceFormat} → ${formatTable(load.destinationTable)}${write(load)}`]
  }
  if (copy) {
    const sources = Array.isArray(copy.sourceTables) ? copy.sourceTables : [copy.sourceTable]
    return [
      `copy ${sources.map(formatTable).join(', ')} → ${formatTable(copy.destinationTable)}${write(copy)}`,
    ]
  }
  if (!query) return ['job']
  const into = query.destinationTable ? ` → ${formatTable(query.destinationTable)}${write(query)}` : ''
  const lines = String(query.query).trim().split('\n')
  return [`query${into}`, ...lines.map(line => `  ${line}`)]
}

export function printPlan(output: Output, plan: RunPlan): void {
  printLine(output, `${plan.feed} → ${formatTable(plan.table)}`)
  printLine(output, `strategy ${plan.strategy}. ${plan.why}`)
  for (const { id, files, bytes } of plan.snapshots) {
    printLine(output, `snapshot ${id}: ${formatNumberOf(files, 'file')}, ${formatBytes(bytes)}`)
  }
  for (const { name, jobs } of plan.stages) {
    printLine(output)
    printLine(output, name)
    for (const line of jobs.flatMap(describeJob)) printLine(output, `  ${line}`)
    if (jobs.length === 0) printLine(output, '  (no job)')
  }
}
