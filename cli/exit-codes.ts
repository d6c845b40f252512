/** Exit codes of the command line (specification, "Errors"). */
export const EXIT = {
  success: 0,
  general: 1,
  usage: 2,
  connection: 3,
  queryParse: 4,
  queryTimeout: 5,
  noResults: 6,
  authentication: 7,
  aborted: 10,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with a message on stderr and a code; caught once, in program.ts. */
export class CommandError extends Error {
  readonly exitCode: ExitCode
  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}
