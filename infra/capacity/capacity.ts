/** Reservations, what runs in them, and commitments. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Stack } from '../stack.ts'
import type { CapacityPlan } from './plan-capacity.ts'

export class Capacity extends pulumi.ComponentResource {
  constructor({ settings, names }: Stack, plan: CapacityPlan, opts: pulumi.ComponentResourceOptions) {
    super('freshet:Capacity', 'capacity', {}, opts)
    const parent = this
    const { project, location } = settings
    const where = { project, location }
    const commitments = plan.commitments.map(
      ({ slotCount, plan, edition, renewalPlan }, at) =>
        new gcp.bigquery.CapacityCommitment(
          `commitment-${at}`,
          { ...where, capacityCommitmentId: `${names.prefix}-${at}`, slotCount, plan, edition, renewalPlan },
          // A commitment can't be given back before its end.
          { parent, protect: true },
        ),
    )
    for (const {
      name,
      edition,
      slotCapacity,
      autoscaleMaxSlots,
      ignoreIdleSlots,
      jobTypes,
    } of plan.reservations) {
      const reservation = new gcp.bigquery.Reservation(
        name,
        {
          ...where,
          name,
          edition,
          slotCapacity,
          ignoreIdleSlots,
          ...(autoscaleMaxSlots > 0 && { autoscale: { maxSlots: autoscaleMaxSlots } }),
        },
        { parent, dependsOn: commitments },
      )
      for (const jobType of jobTypes)
        new gcp.bigquery.ReservationAssignment(
          `${name}-${jobType.toLowerCase().replaceAll('_', '-')}`,
          { ...where, reservation: reservation.id, assignee: `projects/${project}`, jobType },
          { parent },
        )
    }
    this.registerOutputs({})
  }
}
