/** Runs the command in this process and keeps what it wrote. */
import { runFreshet } from '../../cli/program.ts'

export async function runCli(...args: string[]) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const signal = new AbortController().signal
  const exit = await runFreshet(args, { stdout: sink('stdout'), stderr: sink('stderr'), signal })
  return { exit, ...written }
}
