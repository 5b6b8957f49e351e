import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAll, bundlePath } from './bundle.ts'
import { serviceFunctions } from './serviceFile.ts'
import { zipOf } from './zip.ts'

/** Bundles all functions and packs each into a zip in a folder, which has the function's name. */
export async function packAll(folder: string): Promise<void> {
  const bundles = join(folder, 'bundles')
  await bundleAll(bundles)
  for (const [name, { handler }] of Object.entries(serviceFunctions())) {
    const path = bundlePath(handler)
    await writeFile(join(folder, `${name}.zip`), zipOf(path, await readFile(join(bundles, path))))
  }
  await rm(bundles, { recursive: true })
}
