import { globSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ZipOptions, zipSync } from 'fflate'
import { bundleAll, bundlePath } from './bundle.ts'
import { serviceFunctions } from './yamlFiles.ts'

/** Options by which the same content gives the same bytes, so that CloudFormation does not update an unchanged function. */
const sameEachTime: ZipOptions = {
  level: 9,
  // The earliest date in an archive.
  mtime: new Date(1980, 0, 1),
  // A regular file of Unix that all users may read: Lambda runs functions as another user.
  os: 3,
  attrs: 0o100644 << 16,
}

/** Files by their paths in a zip. */
export type Files = Readonly<Record<string, Uint8Array>>

/** Reads the files of folders, which have the same paths in a zip. A folder may be missing. */
export function filesIn(root: string, folders: readonly string[]): Files {
  const paths = folders.flatMap((folder) => globSync(`${folder}/*`, { cwd: root }).toSorted())
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path))]))
}

/**
 * Bundles all functions and packs each into a zip in a folder, which has the function's name. `also`: further files of functions, by
 * their names.
 */
export async function packAll(folder: string, also: Readonly<Record<string, Files>> = {}): Promise<void> {
  const bundles = join(folder, 'bundles')
  await bundleAll(bundles)
  for (const [name, { handler }] of Object.entries(serviceFunctions())) {
    const path = bundlePath(handler)
    const files = { [path]: await readFile(join(bundles, path)), ...also[name] }
    const entries = Object.entries(files).map(([at, content]) => [at, [content, sameEachTime]])
    await writeFile(join(folder, `${name}.zip`), zipSync(Object.fromEntries(entries)))
  }
  await rm(bundles, { recursive: true })
}
