export const reasonToInstall: (times: {
  lockedAt: number | undefined
  installedAt: number | undefined
}) => string | undefined
export const npmCommand: (env: Record<string, string | undefined>) => string[]
