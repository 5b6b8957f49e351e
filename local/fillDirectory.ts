import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { importDirectory } from '../domain/import/importDirectory.ts'
import { organisationKey, userCountKey } from '../domain/store/keys.ts'
import type { Store } from '../domain/store/store.ts'
import { type Directory, demoDirectory, withServiceAccount } from './demo.ts'
import { step } from './progress.ts'

/** Where the directory came from. */
export type Filled = 'demo' | 'file' | 'kept'

/** Fills an empty table with the given import file or the demo organisation; a table with a directory keeps it. */
export const fillDirectory = async (store: Store, file: string | undefined): Promise<Filled> => {
  if (await isWhole(store)) {
    console.log(`The table holds a directory already: it stays as it is${file ? `, ${file} is not read` : ''}.`)
    return 'kept'
  }
  const given = file ? await read(file) : demoDirectory()
  await step(`Importing ${file ?? 'the demo organisation'}${contents(given)}`, (note) =>
    bringIn(store, withServiceAccount(given), note),
  )
  return file ? 'file' : 'demo'
}

const shown = ['users', 'user_groups', 'roles', 'attribute_definitions', 'channels', 'tasks'] as const

/** What is in a directory, as far as it has anything. Whether it is one at all, the import says. */
const contents = (directory: Partial<Record<string, unknown>> | null): string => {
  const counts = shown.flatMap((section) => {
    const records = directory?.[section]
    return Array.isArray(records) && records.length > 0 ? counted(records.length, section.replace('_', ' ')) : []
  })
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`
}

const counted = (count: number, things: string): string => `${count} ${count === 1 ? things.slice(0, -1) : things}`

const read = async (file: string): Promise<Directory> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new Error(`DIRECTORY_FILE=${file} cannot be read: ${(error as Error).message}`)
  }
}

const bringIn = (store: Store, directory: Directory, note: (text: string) => void) =>
  importDirectory(
    {
      store,
      now: new Date().toISOString(),
      newId: randomUUID,
      onProgress: ({ section, done, total }) => note(`${section} ${done} of ${total}`),
    },
    directory,
  )

/** An import that died has left the door closed behind it; importing again completes it. */
const isWhole = async (store: Store): Promise<boolean> =>
  (await store.get(organisationKey)) !== undefined && (await store.get(userCountKey(0)))?.closed_until === undefined
