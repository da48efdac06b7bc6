/** The whole of a stack, from its settings: reads the feeds, checks what can be checked, builds the parts in order. */
import { resolve } from 'node:path'
import * as pulumi from '@pulumi/pulumi'
import { shortReservation } from '../functions/feed/reservation.ts'
import { Announcements } from './announcements.ts'
import { Capacity } from './capacity/capacity.ts'
import { describeCost } from './capacity/describe-cost.ts'
import { planCapacity } from './capacity/plan-capacity.ts'
import { DeadEvents } from './inbox/dead-events.ts'
import { Inbox } from './inbox/inbox.ts'
import { Keys } from './keys.ts'
import { makeNames } from './names.ts'
import { Accounts } from './pipeline/accounts.ts'
import { environmentOf, Functions } from './pipeline/functions.ts'
import { Pipeline } from './pipeline/pipeline.ts'
import { readFeeds } from './read-feeds.ts'
import { findRenameProblems, Renamed } from './renamed.ts'
import { Services } from './services.ts'
import type { Settings } from './settings.ts'
import { type Stack, servingDatasets } from './stack.ts'
import { Warehouse } from './warehouse.ts'
import { Watch } from './watch/watch.ts'

/** Datasets of Freshet's own are no place to serve from: readers would see half-made tables. */
function checkStack(stack: Stack): void {
  const { names } = stack
  const own = new Set([names.landing, names.staging, names.messages])
  const problems = [
    ...servingDatasets(stack)
      .filter(id => own.has(id))
      .map(id => `A feed serves from ${id}, which is Freshet's own; give its table another dataset`),
    ...findRenameProblems(stack),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

function planFor({ settings, feeds }: Stack) {
  const named = feeds.flatMap(({ name, refresh }) => {
    const reservation = shortReservation(refresh.reservation)
    return reservation === undefined ? [] : [[name, reservation] as const]
  })
  return planCapacity(settings.capacity, settings.location, new Map(named))
}

/** Registers every resource and answers the stack's outputs. Throws, before anything is registered, for what can't be. */
export function makeProgram(settings: Settings, root: string): Record<string, pulumi.Input<unknown>> {
  const feedsDir = resolve(root, settings.feeds)
  const stack: Stack = { settings, root, names: makeNames(settings), ...readFeeds(feedsDir) }
  checkStack(stack)
  const plan = planFor(stack)
  const services = new Services(stack)
  const opts = { dependsOn: services }
  const keys = new Keys(stack, services, opts)
  const inbox = new Inbox(stack, keys, opts)
  const warehouse = new Warehouse(stack, keys, opts)
  new Renamed(stack, warehouse, opts)
  const announcements = new Announcements(stack, services, keys, opts)
  const accounts = new Accounts(stack, { inbox, warehouse, announcements }, opts)
  const functions = new Functions(stack, inbox, accounts, feedsDir, opts)
  const pipeline = new Pipeline(stack, functions, accounts, announcements, opts)
  const deadEvents = new DeadEvents(stack, services, functions.trigger, opts)
  new Capacity(stack, plan, opts)
  const watch = new Watch(stack, plan, { deadEvents, announcements }, opts)
  const cost = describeCost(settings.capacity.enabled, plan)
  pulumi.log.info(cost)
  return {
    inbox: pulumi.interpolate`gs://${inbox.inbox.name}`,
    topic: announcements.topic.id,
    messages: pulumi.interpolate`${settings.project}.${announcements.store.table.datasetId}.${announcements.store.table.tableId}`,
    workflow: pipeline.workflow.name,
    applyWorkflow: pipeline.applyWorkflow.name,
    targets: Object.fromEntries(
      [...stack.feeds, ...stack.changeFeeds].map(({ name, table }) => [
        name,
        `${settings.project}.${table.datasetId}.${table.tableId}`,
      ]),
    ),
    dashboard: watch.dashboard.id,
    state: pulumi.interpolate`gs://${inbox.state.name}`,
    capacity: cost,
    environment: environmentOf(stack, settings.feeds),
  }
}
