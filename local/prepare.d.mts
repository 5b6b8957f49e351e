export const reasonToInstall: (found: {
  lockedAt: number | undefined
  installedAt: number | undefined
  hasNode: boolean
}) => string | undefined
export const npmCommand: (env: Record<string, string | undefined>) => string[]
export const prepare: (folder: string) => Promise<string | undefined>
