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

/** Runs a command. What it throws is told in a line, and ends it with status 1. */
export const command = async (
  run: () => Promise<number>,
  faultOf = (error: unknown): string => (error as Error).message,
): Promise<void> => {
  process.exitCode = await run().catch((error: unknown) => failed(faultOf(error)))
}
