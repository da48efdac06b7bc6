/** Databases that break at a given step, as a process does that dies: what was not committed is gone. */
import type { Database, OpenDatabase, Session } from '../../functions/gcp/ports.ts'

/** Steps are counted over all databases that are opened; step `at` never happens. */
export function breakAt(at: number, open: OpenDatabase): { open: OpenDatabase } {
  let step = 0
  const next = () => {
    step += 1
    if (step === at) throw new Error(`step ${at}`)
  }
  const breakSession = (session: Session): Session => ({
    query: async statement => {
      next()
      return session.query(statement)
    },
    run: async statement => {
      next()
      return session.run(statement)
    },
    copy: async (statement, lines) => {
      next()
      return session.copy(statement, lines)
    },
    transaction: work =>
      session.transaction(async () => {
        const result = await work()
        next()
        return result
      }),
  })
  const breakDatabase = (database: Database): Database => ({
    query: async statement => {
      next()
      return database.query(statement)
    },
    connect: use => database.connect(session => use(breakSession(session))),
    close: () => database.close(),
  })
  return { open: name => breakDatabase(open(name)) }
}
