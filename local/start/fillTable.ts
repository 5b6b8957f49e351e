import { randomUUID } from 'node:crypto'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { organisationKey } from '../../domain/table/keys.ts'
import type { Store } from '../../domain/table/store.ts'
import { type Directory, demoDirectory, withServiceAccount } from '../demo/demo.ts'
import { addDemoTokens } from '../demo/serviceTokens.ts'
import { readJson } from '../shared/readFiles.ts'
import { step } from '../shared/step.ts'

/** Where the directory came from. */
type Filled = 'demo' | 'file' | 'kept'

/** The directory in the file that DIRECTORY_FILE names, if any. The import checks its records. */
export const directoryFrom = async (file: string | undefined): Promise<Directory | undefined> => {
  if (!file) return undefined
  const directory = await readJson(file, `DIRECTORY_FILE=${file}`)
  if (typeof directory === 'object' && directory !== null && !Array.isArray(directory)) return directory
  const found = Array.isArray(directory) ? 'a list' : 'a single value'
  throw new Error(`DIRECTORY_FILE=${file} holds ${found}: a directory must be an object with sections such as "users".`)
}

/** Fills an empty table with the directory read from `file`, or the demo organisation. A filled table stays as it is. */
export const fillTable = async (
  store: Store,
  file: string | undefined,
  directory = demoDirectory(),
): Promise<Filled> => {
  if (await isWhole(store)) {
    console.log(`The table already has a directory, which stays as it is${file ? `, ${file} is not imported` : ''}.`)
    return 'kept'
  }
  await step(`Importing ${file ?? 'the demo organisation'}${contents(directory)}`, async (note) => {
    await store.write([{ put: filling }])
    await bringIn(store, withServiceAccount(directory), note)
    if (!file) await addDemoTokens(store, new Date().toISOString())
    await store.write([{ delete: filling }])
  })
  return file ? 'file' : 'demo'
}

const shown = ['users', 'user_groups', 'roles', 'attribute_definitions', 'channels', 'tasks'] as const

/** The counts of a directory's sections, without empty ones. */
const contents = (directory: Partial<Record<string, unknown>>): string => {
  const counts = shown.flatMap((section) => {
    const records = directory[section]
    return Array.isArray(records) && records.length > 0 ? counted(records.length, section.replace('_', ' ')) : []
  })
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`
}

const counted = (count: number, things: string): string => `${count} ${count === 1 ? things.slice(0, -1) : things}`

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

/** Stored while the table is filled: the next start completes an import that has died. */
const filling = { pk: 'LOCAL', sk: 'FILLING' }

const isWhole = async (store: Store): Promise<boolean> =>
  (await store.get(organisationKey)) !== undefined && (await store.get(filling)) === undefined
