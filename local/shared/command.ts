// Shared by the commands of package.json.

/** Prints the result of a command, and returns its status. */
export const said = (text: string, status = 0): number => {
  console.log(text)
  return status
}

/** Prints why a command fails, and returns its status. */
export const failed = (text: string): number => {
  console.error(text)
  return 1
}

/** The message of an error, in one line. */
export function faultOf(error: unknown): string {
  const { name, message } = (error ?? {}) as { name?: string; message?: string }
  if (name === 'CredentialsProviderError') return 'There are no AWS credentials in the environment.'
  return message || String(error)
}

/** Runs a command. An error is printed in one line, and the status is 1. */
export const command = async (run: () => Promise<number>, describe = faultOf): Promise<void> => {
  process.exitCode = await run().catch((error: unknown) => failed(describe(error)))
}
