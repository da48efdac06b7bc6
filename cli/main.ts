/** Entry of the `freshet` command: terminal in, exit code out. */
import { EXIT } from './exit.ts'
import { runFreshet } from './program.ts'

/** One Ctrl-C can arrive twice: from the terminal, and through freshet.mjs. */
const SAME_MS = 500

const stop = new AbortController()
let stoppedAt = 0
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The first asks for a clean end, a later one does not wait for it.
    if (stop.signal.aborted && Date.now() - stoppedAt > SAME_MS) process.exit(EXIT.interrupted)
    if (!stop.signal.aborted) stoppedAt = Date.now()
    stop.abort()
  })
}
// A reader that leaves early (`freshet query … | head`) is no failure.
process.stdout.on('error', () => process.exit(EXIT.done))

const io = { stdout: process.stdout, stderr: process.stderr, signal: stop.signal }
process.exitCode = await runFreshet(process.argv.slice(2), io)
