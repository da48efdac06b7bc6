/** Progress as plain lines, for pipes and logs: the time, the snapshot, the stage, what it did. */
import { type Output, printLine } from './io.ts'
import type { Progress } from './progress.ts'

/** `now` gives the time that a line is stamped with. */
export function startPlainProgress(output: Output, now: () => Date): Progress {
  let snapshot = ''
  const say = (text: string) => {
    const place = snapshot === '' ? '' : `[${snapshot}] `
    printLine(output, `${now().toISOString().slice(11, 23)} ${place}${text}`)
  }
  return {
    note: say,
    begin(id) {
      snapshot = id
      say('on its way')
    },
    started: stage => say(`${stage} …`),
    done: (stage, detail) => say(`${stage} done${detail === '' ? '' : `: ${detail}`}`),
    async end(status) {
      say(status)
      snapshot = ''
    },
  }
}
