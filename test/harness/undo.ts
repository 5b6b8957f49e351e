/** What to do after a test file, by the name of what it puts back. */
const undos = new Map<string, () => void>()

/** Has something put back after the test file as it was before it: test files share their processes. */
export function undoLater(name: string, undo: () => void): void {
  if (!undos.has(name)) undos.set(name, undo)
}

/** Puts everything back. */
export function undoAll(): void {
  for (const undo of undos.values()) undo()
  undos.clear()
}
