/** Objects that need not be loaded: of partitions whose objects are, byte for byte, those of the snapshot applied last. */
import type { Granularity } from '../../../feed/column-type.ts'
import type { Feed } from '../../../feed/feed.ts'
import type { SourceFile } from '../../../feed/snapshot.ts'
import { hashOf } from '../../ids.ts'
import type { PartitionStart } from '../../partitions.ts'
import type { LandedObjects, PendingSnapshot, PlannedSnapshot, RunPlan } from '../../run-plan.ts'
import type { Finding } from '../../verdict.ts'
import type { PartitionChange } from './changes.ts'
import { layoutOf } from './fingerprints.ts'

const PARTS: Readonly<Record<Granularity, number>> = { year: 1, month: 2, day: 3, hour: 4 }
const FORM = /^(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[-T_ ]?(\d\d))?)?)?$/

/**
 * What a path calls a partition, as `2026-11-30`, `20261130`, `2026-11` or `2026-11-30T05`, in the words of CAST(… AS STRING).
 * `undefined` for what is none of the feed's partitions: such an object is always loaded.
 */
export function parsePathPartition({ table }: Feed, text: string): PartitionStart | undefined {
  const { partition, columns } = table
  const found = (FORM.exec(text) ?? []).slice(1).filter(part => part !== undefined)
  if (!partition || found.length !== PARTS[partition.every]) return undefined
  const [year, month = '01', day = '01', hour = '00'] = found
  const date = `${year}-${month}-${day}`
  const instant = new Date(`${date}T${hour}:00:00Z`)
  // The 31st of a short month would be taken for the first of the next.
  if (Number.isNaN(instant.valueOf()) || !instant.toISOString().startsWith(`${date}T${hour}`))
    return undefined
  const type = columns.find(({ name }) => name === partition.by)?.type
  if (type === 'DATE') return date
  return `${date} ${hour}:00:00${type === 'TIMESTAMP' ? '+00' : ''}`
}

function groupFiles(feed: Feed, files: readonly SourceFile[]): Map<PartitionStart, SourceFile[]> {
  const groups = new Map<PartitionStart, SourceFile[]>()
  for (const file of files) {
    const text = feed.source.path.partition(file.name)
    const start = text === undefined ? undefined : parsePathPartition(feed, text)
    if (start !== undefined) groups.set(start, [...(groups.get(start) ?? []), file])
  }
  return groups
}

/** Of content alone: names hold the snapshot's id. Cloud Storage has a CRC32C of every object. */
const contentOf = (files: readonly SourceFile[]): string =>
  hashOf(files.map(({ size, crc32c }) => `${size} ${crc32c}`).toSorted())

/** What the bytes mean. */
const layoutOfObjects = (feed: Feed): string => hashOf([layoutOf(feed), feed.source.format])

/** For the next run to compare with; nothing where paths name no partition. */
export function planObjects(
  feed: Feed,
  snapshots: readonly PendingSnapshot[],
): Pick<RunPlan, 'objects'> | undefined {
  const newest = snapshots.at(-1)
  if (feed.refresh.strategy !== 'changed-partitions' || !newest) return undefined
  const groups = [...groupFiles(feed, newest.files)]
  if (groups.length === 0) return undefined
  const contents = Object.fromEntries(groups.map(([start, files]) => [start, contentOf(files)]))
  return { objects: { layout: layoutOfObjects(feed), contents } }
}

interface Chosen {
  /** What is loaded. */
  readonly files: readonly SourceFile[]
  readonly skipped?: PlannedSnapshot['skipped']
}

/**
 * Whole partitions only: one changed object, one more or one fewer, and all of its partition are loaded. All are where a
 * person has looked at the snapshot and approved it.
 */
export function chooseFiles(feed: Feed, { files, approved }: PendingSnapshot, landed: LandedObjects): Chosen {
  if (approved || landed.layout !== layoutOfObjects(feed)) return { files }
  const partitions: { start: PartitionStart; rows: number }[] = []
  const left = new Set<SourceFile>()
  for (const [start, group] of groupFiles(feed, files)) {
    const before = landed.partitions[start]
    if (before?.content !== contentOf(group)) continue
    partitions.push({ start, rows: before.rows })
    for (const file of group) left.add(file)
  }
  if (left.size === 0) return { files }
  const bytes = [...left].reduce((sum, { size }) => sum + size, 0)
  return { files: files.filter(file => !left.has(file)), skipped: { files: left.size, bytes, partitions } }
}

/** Rows of a partition that was not loaded: they lie in an object whose path names another, so that no path can be believed. */
export function findStrays({ snapshots }: RunPlan, changes: readonly PartitionChange[]): Finding[] {
  return snapshots.flatMap(({ id, skipped }) => {
    const left = new Set(skipped?.partitions.map(({ start }) => start))
    const strays = changes.filter(
      ({ snapshot, start, landed }) => snapshot === id && landed && left.has(start),
    )
    if (strays.length === 0) return []
    const names = strays.map(({ start }) => start).toSorted()
    const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
    return {
      snapshot: id,
      kind: 'held' as const,
      reason: `rows of ${names.slice(0, 3).join(', ')}${more} lie in objects whose path names another partition`,
      hint: 'Approve the snapshot to have all of it loaded; write * instead of {partition} into source.path until the source sorts its rows.',
    }
  })
}
