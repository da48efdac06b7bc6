/** How the command ends: its exit codes, and the one error that carries them. */

/** 0 done, 1 failed, 2 wrong use, 3 held or rejected; 130 is the shell's own for Ctrl-C. */
export const EXIT = { done: 0, failed: 1, misuse: 2, stopped: 3, interrupted: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An end that the user can do something about: printed without a stack, with its hint. */
export class CliError extends Error {
  readonly exit: ExitCode
  readonly hint: string | undefined

  constructor(exit: ExitCode, message: string, hint?: string) {
    super(message)
    this.exit = exit
    this.hint = hint
  }
}

export const misuse = (message: string, hint?: string): CliError => new CliError(EXIT.misuse, message, hint)
export const failure = (message: string, hint?: string): CliError => new CliError(EXIT.failed, message, hint)

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Why a file or folder could not be read, in plain words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'it is not there'
  if (code === 'ENOTDIR') return 'it is no directory'
  if (code === 'EISDIR') return 'it is a directory'
  return code === 'EACCES' ? 'permission denied' : messageOf(error)
}
