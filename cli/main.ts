/** Entry of the `freshet` command: terminal in, exit code out. */
import { EXIT } from './exit.ts'
import { runFreshet } from './program.ts'

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The first asks for a clean end, the second does not wait for it.
    if (stop.signal.aborted) process.exit(EXIT.interrupted)
    stop.abort()
  })
}
// A reader that leaves early (`freshet query … | head`) is no failure.
process.stdout.on('error', () => process.exit(EXIT.done))

const io = { stdout: process.stdout, stderr: process.stderr, signal: stop.signal }
process.exitCode = await runFreshet(process.argv.slice(2), io)
