/** Watching: metrics from the logs, a dashboard, alerts, and an objective for each feed. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Announcements } from '../announcements.ts'
import type { CapacityPlan } from '../capacity/plan-capacity.ts'
import type { DeadEvents } from '../inbox/dead-events.ts'
import type { Stack } from '../stack.ts'
import { type AlertSpec, planAlerts } from './alerts.ts'
import { planDashboard } from './dashboard.ts'
import { type MetricSpec, makeMetrics } from './metrics.ts'

/** From a second to weeks, each bound half as much again as the one before. */
const BUCKETS = { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 1.5, scale: 1 } }
const ROLLING_DAYS = 28

export class Watch extends pulumi.ComponentResource {
  readonly dashboard: gcp.monitoring.Dashboard

  constructor(
    stack: Stack,
    plan: CapacityPlan,
    watched: { readonly deadEvents: DeadEvents; readonly announcements: Announcements },
    opts: pulumi.ComponentResourceOptions,
  ) {
    super('freshet:Watch', 'watch', {}, opts)
    const { settings, names, feeds } = stack
    const metrics = makeMetrics(names.prefix).map(spec => this.makeMetric(stack, spec))
    this.dashboard = new gcp.monitoring.Dashboard(
      'dashboard',
      { project: settings.project, dashboardJson: JSON.stringify(planDashboard(names, feeds)) },
      { parent: this, dependsOn: metrics },
    )
    const channels = settings.alertEmails.map(
      email =>
        new gcp.monitoring.NotificationChannel(
          `mail-${email}`,
          {
            project: settings.project,
            type: 'email',
            displayName: `Freshet: ${email}`,
            labels: { email_address: email },
          },
          { parent: this },
        ),
    )
    const after = [...metrics, watched.deadEvents.subscription, watched.announcements.deadLetters]
    for (const spec of planAlerts(names, plan)) this.makeAlert(stack, spec, channels, after)
    this.makeObjectives(stack, metrics)
    this.registerOutputs({})
  }

  private makeMetric({ settings, names }: Stack, spec: MetricSpec): gcp.logging.Metric {
    const { key, about, filter, value, unit, labels } = spec
    const extract = (field: string) => `EXTRACT(${field})`
    return new gcp.logging.Metric(
      key,
      {
        project: settings.project,
        name: names.metricOf(key),
        description: about,
        filter,
        metricDescriptor: {
          metricKind: 'DELTA',
          valueType: value === undefined ? 'INT64' : 'DISTRIBUTION',
          unit,
          displayName: about,
          labels: Object.keys(labels).map(label => ({ key: label, valueType: 'STRING' })),
        },
        labelExtractors: Object.fromEntries(
          Object.entries(labels).map(([label, field]) => [label, extract(field)]),
        ),
        ...(value !== undefined && { valueExtractor: extract(value), bucketOptions: BUCKETS }),
      },
      { parent: this },
    )
  }

  private makeAlert(
    { settings, names }: Stack,
    spec: AlertSpec,
    channels: readonly gcp.monitoring.NotificationChannel[],
    dependsOn: pulumi.Resource[],
  ): void {
    const { filter, comparison, threshold, duration, aligner, reducer, by } = spec
    const aggregation = {
      alignmentPeriod: '300s',
      perSeriesAligner: aligner,
      crossSeriesReducer: reducer,
      groupByFields: [...by],
    }
    new gcp.monitoring.AlertPolicy(
      `alert-${spec.key}`,
      {
        project: settings.project,
        displayName: `Freshet ${names.prefix}: ${spec.title}`,
        combiner: 'OR',
        severity: spec.severity,
        documentation: { content: spec.todo, mimeType: 'text/markdown' },
        notificationChannels: channels.map(({ name }) => name),
        alertStrategy: { autoClose: '86400s' },
        conditions: [
          {
            displayName: spec.title,
            conditionThreshold: {
              filter,
              comparison,
              thresholdValue: threshold,
              duration,
              aggregations: [aggregation],
            },
          },
        ],
      },
      { parent: this, dependsOn },
    )
  }

  /** Of all snapshots that were served, the share that was served in time. */
  private makeObjectives({ settings, names, feeds }: Stack, metrics: gcp.logging.Metric[]): void {
    const { project, goal } = settings
    const service = new gcp.monitoring.CustomService(
      'service',
      { project, serviceId: names.prefix, displayName: `Freshet: ${names.prefix}` },
      { parent: this },
    )
    const metric = `metric.type="logging.googleapis.com/user/${names.metricOf('refresh-seconds')}"`
    for (const { name, refresh } of feeds)
      new gcp.monitoring.Slo(
        `objective-${name}`,
        {
          project,
          service: service.serviceId,
          sloId: name,
          displayName: `${name} is refreshed within ${Math.round(refresh.withinSeconds / 60)} minutes`,
          goal,
          rollingPeriodDays: ROLLING_DAYS,
          requestBasedSli: {
            distributionCut: {
              distributionFilter: `${metric} resource.type="cloud_run_revision" metric.label.feed="${name}"`,
              range: { max: refresh.withinSeconds },
            },
          },
        },
        { parent: this, dependsOn: metrics },
      )
  }
}
