/** Executions of workflows/refresh.yaml in the simulator: the real interpreter over fakes, each one an actor. */
import { makeConnectors as makeRealConnectors } from '../../local/workflows/connectors/index.ts'
import { WorkflowError } from '../../local/workflows/errors.ts'
import { Interpreter } from '../../local/workflows/interpreter.ts'
import { plainOf, valueOfPlain } from '../../local/workflows/json.ts'
import type { Library } from '../../local/workflows/library.ts'
import { parseWorkflow } from '../../local/workflows/parse.ts'
import type { Program } from '../../local/workflows/program.ts'
import { STANDARD_LIBRARY } from '../../local/workflows/stdlib/index.ts'
import { type Fakes, replace } from './connectors.ts'
import { FEED } from './sources.ts'
import type { Actor, World } from './world.ts'

const NOWHERE = 'http://127.0.0.1:9'
const LIBRARY: Library = new Map([
  ...STANDARD_LIBRARY,
  ...makeRealConnectors({ bigquery: NOWHERE, storage: NOWHERE, pubsub: NOWHERE }),
])

export const parseRefresh = (source: string): Program => parseWorkflow(source, LIBRARY)

const environment = (execution: string): Readonly<Record<string, string>> => ({
  GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID: execution,
  GOOGLE_CLOUD_PROJECT_ID: 'p',
  PLAN_URL: 'plan',
  VERIFY_URL: 'verify',
  COMPLETE_URL: 'complete',
  FAIL_URL: 'fail',
  TOPIC: 'freshet-refreshed',
})

/** Runs one execution to its end, its failure or its death. `fakes` must serve everything that it waits for. */
export function startExecution(world: World, program: Program, execution: Actor, fakes: Fakes): void {
  const library: Library = new Map(
    [...LIBRARY].map(([name, real]) => {
      const fake = fakes.get(name)
      if (fake) return [name, replace(real, fake)]
      const waits = real.blocking && !name.startsWith('sys.')
      return [name, waits ? replace(real, () => Promise.reject(new Error(`no fake for ${name}`))) : real]
    }),
  )
  const set = environment(execution.name)
  const interpreter = new Interpreter({
    program,
    library,
    context: {
      now: () => world.now,
      sleep: seconds => world.sleep(execution, seconds * 1_000),
      environment: name => set[name],
      log: () => {},
      signal: new AbortController().signal,
    },
  })
  interpreter.run(valueOfPlain({ feed: FEED })).then(
    value => world.note(execution.name, `returned ${JSON.stringify(plainOf(value))}`),
    (error: unknown) => {
      if (!(error instanceof WorkflowError)) world.fail(error)
      const payload = error instanceof WorkflowError ? JSON.stringify(plainOf(error.payload)) : ''
      world.note(execution.name, `failed ${payload.slice(0, 300)}`)
      if (payload.includes('SystemError')) world.fail(new Error(payload))
    },
  )
}
