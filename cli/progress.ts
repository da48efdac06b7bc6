/** Says how far a run is: a live display on a terminal, plain lines with the time elsewhere. */

import type { StageName } from '../functions/plan/run-plan.ts'
import type { Io } from './io.ts'
import { startLiveProgress } from './progress-live.ts'
import { startPlainProgress } from './progress-plain.ts'

export interface Progress {
  /** A line about something other than a stage. */
  note(text: string): void
  /** A snapshot is on its way; what follows is about it. */
  begin(snapshot: string): void
  started(stage: StageName): void
  done(stage: StageName, detail: string): void
  /** The run ended: stages that did not finish never will. Resolves when the display stands still. */
  end(status: string): Promise<void>
}

export function startProgress(io: Io): Progress {
  return io.stderr.isTTY ? startLiveProgress(io.stderr) : startPlainProgress(io.stderr, () => new Date())
}
