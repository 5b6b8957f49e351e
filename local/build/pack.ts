import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ZipOptions, zipSync } from 'fflate'
import { bundleAll, bundlePath } from './bundle.ts'
import { serviceFunctions } from './serviceFile.ts'

/** Options by which the same content gives the same bytes, so that CloudFormation does not update an unchanged function. */
const sameEachTime: ZipOptions = {
  level: 9,
  // The earliest date in an archive.
  mtime: new Date(1980, 0, 1),
  // A regular file of Unix that all users may read: Lambda runs functions as another user.
  os: 3,
  attrs: 0o100644 << 16,
}

/** Bundles all functions and packs each into a zip in a folder, which has the function's name. */
export async function packAll(folder: string): Promise<void> {
  const bundles = join(folder, 'bundles')
  await bundleAll(bundles)
  for (const [name, { handler }] of Object.entries(serviceFunctions())) {
    const path = bundlePath(handler)
    await writeFile(
      join(folder, `${name}.zip`),
      zipSync({ [path]: [await readFile(join(bundles, path)), sameEachTime] }),
    )
  }
  await rm(bundles, { recursive: true })
}
