// What the commands of package.json have in common.

/** Prints what a command was asked for, and answers its status. */
export const said = (text: string, status = 0): number => {
  console.log(text)
  return status
}

/** Prints why a command fails, and answers its status. */
export const failed = (text: string): number => {
  console.error(text)
  return 1
}

/** What went wrong, in one line. */
export function faultOf(error: unknown): string {
  const { name, message } = (error ?? {}) as { name?: string; message?: string }
  if (name === 'CredentialsProviderError') return 'There are no AWS credentials in the environment.'
  return message || String(error)
}

/** Runs a command. An error is printed in a line, and ends it with status 1. */
export const command = async (run: () => Promise<number>, told = faultOf): Promise<void> => {
  process.exitCode = await run().catch((error: unknown) => failed(told(error)))
}
