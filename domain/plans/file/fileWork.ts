import type { FilePosition } from './row.ts'

// Where the check of a file is. It stands in the position of the plan, so it is JSON, and small.

/**
 * READ: rows go to working files, by the hash of their key. WALK: so do users, where all of them, or all in a scope, are looked at.
 * JOIN: the rows and users of each part are judged. WRITE: names are compared between rows, and the changes are written.
 */
export type Stage = 'READ' | 'WALK' | 'JOIN' | 'WRITE' | 'DONE'

/**
 * Which users are walked over. ALL: everybody, and those are read who may be in the file, as far as lists show it; MARKED: everybody, and
 * those are read of whom lists show that they are; SCOPE: those who may be absent; NONE: rows are looked up by their keys.
 */
export type Walk = 'ALL' | 'MARKED' | 'SCOPE' | 'NONE'

/** People whom a plan changes: for its limits. `cleared` counts for each field those who lose their value. */
export type People = { changed: number; lifecycle: number; cleared: Record<string, number> }

/**
 * `parts`: into how many parts rows and users are split. `rows`, `users`, `verdicts`: the names of the working files; of the last there
 * is one for each part. `keyed`: how many rows have a key; `keyless`: the first
 * one that has no key. `walk`: which users are walked over, and `after` the last one. `scope`: how many users the limits are percentages of.
 * `absent`: how many absent users have a change, and `unjudged` how many were not looked at, as these are too many. `named`: how many rows give up or take a name. `at`: what was written of the verdicts: whole files, places in the next one, and
 * then whole units of rows that wait for each other's names.
 */
export type FileWork = {
  stage: Stage
  from: FilePosition
  parts: number
  rows: string[]
  users: string[]
  verdicts: string[]
  keyed: number
  keyless: number | null
  walk: Walk
  after: string | null
  scope: number
  absent: number
  unjudged: number
  named: number
  at: { file: number; place: number; unit: number }
  people: People
}
