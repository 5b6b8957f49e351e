/** What to restore after a test file, by name. */
const undos = new Map<string, () => void>()

/** Restores something after the test file: test files share their processes. */
export function undoLater(name: string, undo: () => void): void {
  if (!undos.has(name)) undos.set(name, undo)
}

/** Restores everything. */
export function undoAll(): void {
  for (const undo of undos.values()) undo()
  undos.clear()
}
