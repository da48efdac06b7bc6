/** Progress as a live display: one line a stage, a spinner on the running one, what each did behind it. */
import {
  Listr,
  type ListrDefaultRendererLogLevels,
  ListrLogger,
  type ListrTask,
  PRESET_TIMER,
  ProcessOutput,
} from 'listr2'

import { type Output, printLine } from './io.ts'
import type { Progress } from './progress.ts'
import { SHOWN_STAGES, type ShownStage, STAGE_TITLES } from './stages.ts'

type Outcome = { readonly kind: 'done'; readonly detail: string } | { readonly kind: 'skipped' }
type Slots = Readonly<Record<ShownStage, PromiseWithResolvers<Outcome>>>

const makeSlots = () =>
  Object.fromEntries(SHOWN_STAGES.map(name => [name, Promise.withResolvers<Outcome>()])) as Slots

/** The display ends by itself once every slot has its outcome. */
function showStages(snapshot: string, slots: Slots) {
  const stages = SHOWN_STAGES.map(name => ({
    title: STAGE_TITLES[name],
    task: async (_: unknown, task: { title: string; skip(message: string): void }) => {
      const outcome = await slots[name].promise
      if (outcome.kind === 'skipped') task.skip(`${STAGE_TITLES[name]} (not reached)`)
      else if (outcome.detail !== '') task.title = `${STAGE_TITLES[name]}   ${outcome.detail}`
    },
  }))
  // Talk goes to stderr: stdout holds results only.
  const logger = new ListrLogger<ListrDefaultRendererLogLevels>({
    useIcons: true,
    processOutput: new ProcessOutput(process.stderr, process.stderr),
  })
  let say = (_text: string) => {}
  const tasks = [
    {
      title: `snapshot ${snapshot}`,
      task: (_, parent) => {
        say = text => {
          parent.output = text
        }
        return parent.newListr(stages)
      },
      rendererOptions: { bottomBar: Number.POSITIVE_INFINITY, persistentOutput: true },
    },
  ] satisfies ListrTask[]
  const rendererOptions = {
    collapseSubtasks: false,
    collapseSkips: true,
    showSkipMessage: false,
    logger,
    timer: PRESET_TIMER,
  }
  const display = new Listr(tasks, { rendererOptions, registerSignalListeners: false })
  return { ended: display.run(), say: (text: string) => say(text) }
}

export function startLiveProgress(output: Output): Progress {
  let slots: Slots | undefined
  let display: ReturnType<typeof showStages> | undefined
  const settleBefore = (stage: ShownStage) => {
    for (const name of SHOWN_STAGES.slice(0, SHOWN_STAGES.indexOf(stage)))
      slots?.[name].resolve({ kind: 'skipped' })
  }
  const end = async (status: string) => {
    for (const name of SHOWN_STAGES) slots?.[name].resolve({ kind: 'skipped' })
    await display?.ended
    if (display) printLine(output, `  ${status}`)
    slots = undefined
    display = undefined
  }
  return {
    note: text => (display ? display.say(text) : printLine(output, text)),
    begin(snapshot) {
      slots = makeSlots()
      display = showStages(snapshot, slots)
    },
    started: settleBefore,
    done: (stage, detail) => slots?.[stage].resolve({ kind: 'done', detail }),
    end,
  }
}
