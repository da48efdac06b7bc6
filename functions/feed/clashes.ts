/** What several feeds can't share: a name, which names their state, and a target, which each would replace. */
import type { Feed } from './feed.ts'

export interface Clash {
  /** The file of the later of the two. */
  readonly file: string
  readonly path: 'name' | 'table.name'
  readonly message: string
  readonly hint: string
}

/** Every feed that clashes with one before it, in the order of `feeds`. */
export function findClashes(
  feeds: readonly { readonly file: string; readonly feed: Pick<Feed, 'name' | 'table'> }[],
): Clash[] {
  const clashes: Clash[] = []
  const names = new Map<string, string>()
  const targets = new Map<string, string>()
  for (const { file, feed } of feeds) {
    const target = `${feed.table.datasetId}.${feed.table.tableId}`
    const namesake = names.get(feed.name)
    const rival = targets.get(target)
    if (namesake !== undefined)
      clashes.push({
        file,
        path: 'name',
        message: `is ${feed.name}, as in ${namesake}`,
        hint: 'A feed is known by its name: rename one.',
      })
    else if (rival !== undefined)
      clashes.push({
        file,
        path: 'table.name',
        message: `is ${target}, as in ${rival}`,
        hint: 'Each would replace what the other publishes: give one another table.',
      })
    names.set(feed.name, namesake ?? file)
    targets.set(target, rival ?? file)
  }
  return clashes
}
