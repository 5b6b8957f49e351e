import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAll, bundlePath } from './bundle.ts'
import { serviceFunctions } from './serviceFile.ts'
import { zipOf } from './zip.ts'

/** Bundles all functions and packs each into a zip of its own in a folder; answers the zips' paths by function. */
export async function packAll(folder: string): Promise<Record<string, string>> {
  const bundles = join(folder, 'bundles')
  await bundleAll(bundles)
  const zips: Record<string, string> = {}
  for (const [name, { handler }] of Object.entries(serviceFunctions())) {
    const path = bundlePath(handler)
    zips[name] = join(folder, `${name}.zip`)
    await mkdir(folder, { recursive: true })
    await writeFile(zips[name], zipOf(path, await readFile(join(bundles, path))))
  }
  await rm(bundles, { recursive: true })
  return zips
}
