/** A stored file: its name within its plan, its size in bytes, and its version: another one if it was written again. */
export type StoredFile = { name: string; bytes: number; version: string }

/** The bytes of a file from `from` up to, and without, `to`; without `to` up to the end. */
export type ByteRange = { from: number; to?: number }

/**
 * The files of one plan: the parts of the file that was uploaded (`parts/…`), and what its check keeps meanwhile (`work/…`). They are
 * removed when the check ends.
 */
export type PlanFiles = {
  /** Writes a file whole; one of this name is replaced. */
  put: (name: string, bytes: Uint8Array) => Promise<void>
  /** The bytes of a file, or of a part of it; undefined if there is no such file. */
  get: (name: string, range?: ByteRange) => Promise<Uint8Array | undefined>
  /** The files whose names begin so, in the order of their names. */
  list: (prefix: string) => Promise<StoredFile[]>
  /** Removes a file, if it is there. */
  remove: (name: string) => Promise<void>
  /** Removes all files of the plan. Removing them again does nothing. */
  removeAll: () => Promise<void>
}
