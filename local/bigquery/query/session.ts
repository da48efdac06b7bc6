/** What the statements of one query job share: where names resolve, the parameters, and an open transaction. */
import type { Draft } from '../catalogue/draft.ts'
import type { TableId } from '../catalogue/entry.ts'
import { invalid } from '../errors.ts'
import type { Outcome, Run } from '../jobs/run.ts'
import { resolveName } from '../names.ts'
import type { QueryParameter, TableName } from '../sql/index.ts'
import { makeScope, type QueryScope } from './scope.ts'

export interface Session {
  readonly run: Run
  readonly standard: string | undefined
  readonly parameters: readonly QueryParameter[]
  /** What the next statement sees: inside a transaction, what that has done so far. */
  view(): Draft
  scope(): QueryScope
  target(name: TableName): TableId
  readonly inTransaction: boolean
  begin(): void
  rollback(): void
  /** Takes the transaction's changes out, to be applied in one go. */
  commit(): Required<Pick<Outcome, 'apply'>>
  /** Makes a statement true: in the transaction, or at once. */
  settle(outcome: Outcome): Promise<Readonly<Record<string, unknown>>>
}

export function makeSession(
  run: Run,
  standard: string | undefined,
  parameters: readonly QueryParameter[],
): Session {
  let open: Draft | undefined
  const view = () => open ?? run.catalogue.view()
  return {
    run,
    standard,
    parameters,
    view,
    scope() {
      const scope = makeScope(run, view(), standard)
      run.defer(() => scope.release())
      return scope
    },
    target: name => resolveName(run.project, name, standard),
    get inTransaction() {
      return open !== undefined
    },
    begin() {
      if (open) throw invalid('Transaction is already in progress', 'query')
      const frozen = run.catalogue.freeze()
      run.defer(frozen.release)
      open = frozen.draft
    },
    rollback() {
      if (!open) throw invalid('Transaction control statements are supported only in scripts', 'query')
      open = undefined
    },
    commit() {
      const done = open
      if (!done) throw invalid('Transaction control statements are supported only in scripts', 'query')
      open = undefined
      return {
        apply(draft) {
          for (const [, entry] of done.changes.tables) if (entry) draft.putTable(entry)
          return undefined
        },
      }
    },
    async settle({ apply, statistics }) {
      if (!apply) return statistics
      const more = open ? apply(open) : await run.catalogue.transact(draft => apply(draft))
      return { ...statistics, ...more }
    },
  }
}
