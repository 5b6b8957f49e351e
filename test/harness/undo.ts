/** What to restore after a test file, by name. */
const undos = new Map<string, Undo>()

type Undo = () => unknown

/** Restores something after the test file, and waits if it takes a while: test files share their processes. */
export function undoLater(name: string, undo: Undo): void {
  if (!undos.has(name)) undos.set(name, undo)
}

/** Restores everything, also if one of it fails. */
export async function undoAll(): Promise<void> {
  const all = [...undos.values()]
  undos.clear()
  await Promise.all(all.map(async (undo) => undo()))
}
