/** When somebody is written to, and what that person should do. */
import type { CapacityPlan } from '../capacity/plan-capacity.ts'
import type { Names } from '../names.ts'

export interface AlertSpec {
  readonly key: string
  readonly title: string
  readonly severity: 'CRITICAL' | 'ERROR' | 'WARNING'
  /** What to do, in Markdown. */
  readonly todo: string
  readonly filter: string
  readonly aligner: string
  readonly reducer: string
  readonly by: readonly string[]
  readonly comparison: 'COMPARISON_GT' | 'COMPARISON_GE'
  readonly threshold: number
  /** How long it has to be so, as in `60s`. */
  readonly duration: string
}

const WHAT_TO_DO = {
  late: 'A snapshot has waited for longer than its feed promises. `npx freshet status` says what holds it; the log of the sweep says since when.',
  failed: 'The target is untouched, and the sweep tries again. The log line says which stage failed and why.',
  held: 'It did not pass a gate of its feed, and the target is untouched. Look at it, then `npx freshet approve` or `npx freshet reject`.',
  rejected:
    'Its files can not be used, and the target is untouched. The message names the object and the row; the source has to send it again.',
  deadLetters:
    'Pub/Sub could not write messages as rows: most often the table was changed by hand. Pull the subscription to see them.',
  deadEvents:
    'on-object did not take events of arriving objects. When it works again, send their manifests anew, and acknowledge the events.',
} as const

const COUNTED = {
  aligner: 'ALIGN_DELTA',
  reducer: 'REDUCE_SUM',
  comparison: 'COMPARISON_GT',
  threshold: 0,
  duration: '0s',
} as const

function onOutcome(
  names: Names,
  status: string,
  severity: AlertSpec['severity'],
  title: string,
  todo: string,
): AlertSpec {
  const metric = `metric.type="logging.googleapis.com/user/${names.metricOf('outcomes')}"`
  const filter = `${metric} AND resource.type="cloud_run_revision" AND metric.label.status="${status}"`
  return { key: status, title, severity, todo, filter, by: ['metric.label.feed'], ...COUNTED }
}

function onDeadLetters(key: string, title: string, subscription: string, todo: string): AlertSpec {
  return {
    key,
    title,
    severity: 'ERROR',
    todo,
    filter: `metric.type="pubsub.googleapis.com/subscription/num_undelivered_messages" AND resource.type="pubsub_subscription" AND resource.label.subscription_id="${subscription}"`,
    aligner: 'ALIGN_MAX',
    reducer: 'REDUCE_SUM',
    by: [],
    comparison: 'COMPARISON_GT',
    threshold: 0,
    duration: '0s',
  }
}

/** Change application that gets no slots falls behind without an error: its reservation is full for half an hour. */
function onStarved({ reservations }: CapacityPlan): AlertSpec[] {
  return reservations.flatMap(({ name, jobTypes, slotCapacity, autoscaleMaxSlots }) => {
    const background = jobTypes.filter(type => type.startsWith('BACKGROUND'))
    if (background.length === 0) return []
    const slots = slotCapacity + autoscaleMaxSlots
    return [
      {
        key: `starved-${name}`,
        title: `Reservation ${name} is full: ${background.join(', ')} is starved`,
        severity: 'WARNING' as const,
        todo: `All ${slots} slots of **${name}** have been taken for half an hour, so changes are applied late. Raise its \`max\` in \`freshet:capacity\`, or give ${background.join(' and ')} a reservation of its own.`,
        filter: `metric.type="bigquery.googleapis.com/slots/allocated" AND resource.type="bigquery_project" AND metric.label.reservation=monitoring.regex.full_match(".*${name}")`,
        aligner: 'ALIGN_MEAN',
        reducer: 'REDUCE_SUM',
        by: [],
        comparison: 'COMPARISON_GE' as const,
        threshold: slots * 0.95,
        duration: '1800s',
      },
    ]
  })
}

const onOutcomes = (names: Names): readonly AlertSpec[] => [
  onOutcome(names, 'late', 'CRITICAL', 'A table is late', WHAT_TO_DO.late),
  onOutcome(names, 'failed', 'ERROR', 'A refresh failed', WHAT_TO_DO.failed),
  onOutcome(names, 'held', 'WARNING', 'A snapshot is held', WHAT_TO_DO.held),
  onOutcome(names, 'rejected', 'WARNING', 'A snapshot was rejected', WHAT_TO_DO.rejected),
]

export function planAlerts(names: Names, plan: CapacityPlan): readonly AlertSpec[] {
  const { deadLetters, deadEvents } = names
  return [
    ...onOutcomes(names),
    onDeadLetters('dead-letters', 'Messages could not be stored', deadLetters, WHAT_TO_DO.deadLetters),
    onDeadLetters('dead-events', 'Events could not be delivered', deadEvents, WHAT_TO_DO.deadEvents),
    ...onStarved(plan),
  ]
}
