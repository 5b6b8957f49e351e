type Lock = { packages: Record<string, { version?: string; integrity?: string; optional?: boolean }> }

export const reasonToInstall: (found: {
  wanted: Lock | undefined
  installed: Lock | undefined
  hasNode: boolean
}) => string | undefined
export const npmCommand: (env: Record<string, string | undefined>) => string[]
export const prepare: (folder: string) => Promise<string | undefined>
