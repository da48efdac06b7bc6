/** Deliberate faults: each is a small patch to the product, and the simulator has to notice every one. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text

import type { TroubleName } from '../schedule.ts'

export interface Mutant {
  readonly name: string
  /** From the repository's root. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** The kind of trouble that it shows in, where others hide it. */
  readonly trouble?: TroubleName
  /** The seed to begin with: where it was caught before, so that the hunt is short. */
  readonly from: number
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a lease that has run out is not taken over',
    file: 'functions/state/lease.ts',
    find: 'Date.parse(lease.until) <= now()',
    replace: 'false',
    from: 1,
  },
  {
    name: 'job ids differ by execution',
    file: 'workflows/refresh.yaml',
    find: '${base + string(attempt)}',
    replace: '${base + string(attempt) + sys.get_env("GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID")}',
    from: 1,
  },
  {
    name: 'the oldest row of a key wins',
    file: 'functions/plan/models/unique.ts',
    find: 'name => sql`${name} DESC`',
    replace: 'name => sql`${name} ASC`',
    from: 1,
  },
  {
    name: 'of two rows that tie the one that came first wins',
    file: 'functions/plan/models/unique.ts',
    find: "[sql`${sqlAlias(feed, 'arrival')} DESC`]",
    replace: "[sql`${sqlAlias(feed, 'arrival')} ASC`]",
    from: 1,
  },
  {
    name: 'ties within a snapshot are not broken',
    file: 'functions/plan/models/unique.ts',
    find: ', ...values.map(sqlDescending)]',
    replace: ']',
    from: 1,
  },
  {
    name: 'rows that a snapshot lacks are lost',
    file: 'functions/plan/strategies/rewrite.ts',
    find: '[{ table: stagingOf(feed, warehouse) }, ...tombstonesIn(context), ...landed]',
    replace: '[...tombstonesIn(context), ...landed]',
    from: 1,
  },
  {
    name: 'an open run is forgotten when another is planned',
    file: 'functions/handlers/plan.ts',
    find: 'if (open) return runTurn(open, true)',
    replace: '',
    from: 1,
  },
  {
    name: 'nine spent ids end a run for good',
    file: 'workflows/refresh.yaml',
    find: 'attempt >= 999',
    replace: 'attempt >= 9',
    trouble: 'outage',
    from: 1,
  },
  {
    name: 'the record of a run is written without looking',
    file: 'functions/state/state.ts',
    find: 'if (found.text !== JSON.stringify(seen)) throw conflict(`Run ${run} of ${feed}`)',
    replace: '',
    trouble: 'slow',
    from: 5,
  },
  {
    name: 'a delivery with other objects counts as the same',
    file: 'functions/plan/ids.ts',
    find: 'files.map(({ name, generation }) => [name, generation])',
    replace: 'files.map(({ name }) => [name])',
    from: 1,
  },
  {
    name: 'objects may be replaced while they are loaded',
    file: 'functions/handlers/stops.ts',
    find: 'if (!replaced) return undefined',
    replace: 'return undefined',
    trouble: 'slow',
    from: 25,
  },
  {
    name: 'an empty snapshot passes',
    file: 'functions/plan/gates.ts',
    find: 'wrong: found.row_count === 0,',
    replace: 'wrong: false,',
    from: 1,
  },
  {
    name: 'an older snapshot may replace a newer one',
    file: 'functions/plan/plan-run.ts',
    find: "if (feed.model.missingRows === 'delete') return older.length === pending.length ? older : []\n",
    replace: 'if (!ageIsLost(feed, state)) return []\n',
    from: 1,
  },
  {
    name: 'rows that share a key take the join',
    file: 'functions/plan/plan-apply.ts',
    find: "if (!isProven(counted)) return 'keys are in more than one row, or NULL'\n",
    replace: '\n',
    from: 1,
  },
  {
    name: 'nothing is announced',
    file: 'workflows/refresh.yaml',
    find: 'in: ${messages}',
    replace: 'in: []',
    from: 1,
  },
  {
    name: 'a rollback that was done is asked for again',
    file: 'functions/handlers/complete.ts',
    find: 'if (record.rollback) await deps.state.requests.removeRollback(feed.name, record.rollback)',
    replace: '',
    from: 1,
  },
  {
    name: 'the sweep wakes nobody',
    file: 'functions/handlers/sweep.ts',
    find: 'await deps.workflows.startRefresh(feed.name)',
    replace: '',
    trouble: 'crashes',
    from: 1,
  },
  {
    name: 'the measure of the next snapshot is lost',
    file: 'functions/handlers/complete.ts',
    find: 'newestRows: rows, filled',
    replace: 'newestRows: _, filled, rows = 0',
    from: 11,
  },
  {
    name: 'staging is not put back',
    file: 'workflows/refresh.yaml',
    find: '${not(verdict.restore)}',
    replace: '${true}',
    trouble: 'crashes',
    from: 21,
  },
  {
    name: 'nobody looks at staging before it is saved',
    file: 'functions/handlers/verify.ts',
    find: ' ?? verdict\n}',
    replace: ' && verdict\n}',
    trouble: 'crashes',
    from: 21,
  },
  {
    name: 'nobody looks for events that never came',
    file: 'functions/handlers/sweep.ts',
    find: 'await lookForLost(deps, feed)',
    replace: '[]',
    trouble: 'heavy',
    from: 1,
  },
  {
    name: 'nobody remembers which objects were refused',
    file: 'functions/handlers/take-snapshot.ts',
    find: 'await sightings.writeRefused(feed.name, id, run)',
    replace: '',
    from: 1,
  },
  {
    name: 'a publish may lose policy tags',
    file: 'functions/plan/governance.ts',
    find: 'if (list(policyTags) !== list(column?.policyTags ?? []) && policyTags.length > 0) {',
    replace: 'if (policyTags.length > 9) {',
    trouble: 'none',
    from: 1,
  },
  {
    name: 'a publish forgets the labels that people gave',
    file: 'functions/plan/stages/publish.ts',
    find: '...(target ? foreignLabels(target) : []), ',
    replace: '',
    from: 1,
  },
  {
    name: 'a rollback shows the old rollback point itself',
    file: 'functions/plan/plan-rollback.ts',
    find: 'planClone(context, rollbackPointOf(context), state.target)',
    replace: 'planClone(context, request.rollbackPoint, state.target)',
    trouble: 'none',
    from: 1,
  },
  {
    name: 'fingerprints leave a column out',
    file: 'functions/plan/strategies/changed-partitions/inspect.ts',
    find: '.filter(name => !feed.model.key.includes(name))',
    replace: ".filter(name => !feed.model.key.includes(name) && name !== 'w')",
    from: 89,
  },
  {
    name: 'days that vanished are not deleted',
    file: 'functions/plan/plan-apply.ts',
    find: "const gone = feed.model.missingRows === 'delete' ?",
    replace: "const gone = feed.model.missingRows === 'keep' ?",
    from: 36,
  },
  {
    name: 'rows of staging beside those that landed are forgotten',
    file: 'functions/plan/strategies/changed-partitions/apply.ts',
    find: "if (mixed.length === 0 || feed.model.missingRows === 'delete')",
    replace: 'if (mixed.length >= 0)',
    from: 117,
  },
]
