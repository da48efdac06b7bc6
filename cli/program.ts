/** The command line of `freshet`: its commands, and how an error becomes an exit code. */
import { Command, CommanderError } from '@commander-js/extra-typings'
import { FreshetError } from '../functions/errors.ts'
import manifest from '../package.json' with { type: 'json' }
import { correctCommand } from './commands/correct.ts'
import { approveCommand, rejectCommand } from './commands/decide-held.ts'
import { estimateCommand } from './commands/estimate.ts'
import { localCommand } from './commands/local.ts'
import { planCommand } from './commands/plan.ts'
import { queryCommand } from './commands/query.ts'
import { rollbackCommand } from './commands/rollback.ts'
import { serveCommand } from './commands/serve.ts'
import { statusCommand } from './commands/status.ts'
import { tryCommand } from './commands/try.ts'
import { validateCommand } from './commands/validate.ts'
import { CliError, EXIT, messageOf } from './exit.ts'
import { type Io, printLine } from './io.ts'
import { showControls } from './visible.ts'

const EPILOGUE = `
Examples:
  $ freshet validate feeds/*.yaml
  $ freshet plan feeds/cities.yaml data/2026-07-01
  $ freshet try feeds/cities.yaml data/2026-07-01 data/2026-09-26 --dir .freshet
  $ freshet query 'SELECT COUNT(*) FROM geo.cities' --dir .freshet

Exit codes: 0 done, 1 failed, 2 wrong use, 3 held or rejected.`

function makeProgram(io: Io, setExit: (code: number) => void): Command {
  const program = new Command('freshet').description(manifest.description).version(manifest.version)
  const commands = [
    tryCommand,
    queryCommand,
    planCommand,
    estimateCommand,
    validateCommand,
    localCommand,
    statusCommand,
    approveCommand,
    rejectCommand,
    rollbackCommand,
    correctCommand,
    serveCommand,
  ]
  for (const make of commands) program.addCommand(make(io, setExit))
  program.addHelpText('after', EPILOGUE)
  for (const command of [program, ...program.commands]) {
    command.exitOverride().showHelpAfterError('(--help tells what is possible)')
    command.configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => io.stderr.write(text),
    })
  }
  return program
}

function exitOf(error: unknown, io: Io): number {
  // Commander has printed its own message; what is not a call for help is wrong use.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misuse
  if (io.signal.aborted) return EXIT.interrupted
  printLine(io.stderr, `freshet: ${showControls(messageOf(error))}`)
  const known = error instanceof CliError || error instanceof FreshetError
  if (known && error.hint) printLine(io.stderr, `  hint: ${showControls(error.hint)}`)
  if (error instanceof CliError) return error.exit
  if (process.env.FRESHET_DEBUG && error instanceof Error) printLine(io.stderr, error.stack)
  return EXIT.failed
}

/** Runs one command line (without `node` and the script) and answers with the exit code. */
export async function runFreshet(args: readonly string[], io: Io): Promise<number> {
  let exit: number = EXIT.done
  try {
    const program = makeProgram(io, code => {
      exit = code
    })
    await program.parseAsync(args, { from: 'user' })
    return exit
  } catch (error) {
    return exitOf(error, io)
  }
}
