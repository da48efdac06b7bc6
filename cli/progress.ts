/** Says how far a run is: a live display on a terminal, plain lines with the time elsewhere. */

import type { Io } from './io.ts'
import { startPlainProgress } from './progress-plain.ts'
import type { ShownStage } from './stages.ts'

export interface Progress {
  /** A line about something other than a stage. */
  note(text: string): void
  /** A snapshot is on its way; what follows is about it. */
  begin(snapshot: string): void
  started(stage: ShownStage): void
  done(stage: ShownStage, detail: string): void
  /** The run ended: stages that did not finish never will. Resolves when the display stands still. */
  end(status: string): Promise<void>
}

export async function startProgress(io: Io): Promise<Progress> {
  if (!io.stderr.isTTY) return startPlainProgress(io.stderr, () => new Date())
  const { startLiveProgress } = await import('./progress-live.ts')
  return startLiveProgress(io.stderr)
}
