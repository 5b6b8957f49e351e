// After an update, browsers that have loaded the console of the release before still ask for its files.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { BEFORE, BUILT, buildConsole } from '../build/console.ts'
import { type Files, filesIn } from '../build/pack.ts'
import type { Stack } from './tableStack.ts'

/** The name of the page, which is always that of the current release. */
const PAGE = 'index.html'

const namesIn = (files: Files, folder: string): string[] =>
  Object.keys(files)
    .filter((path) => path.startsWith(`${folder}/`) && path !== `${folder}/${PAGE}`)
    .map((path) => path.slice(folder.length + 1))

/**
 * The files that the next release keeps of the deployed one, by name. `deployed`: the files of the deployed function; `built`: those
 * of the next. A deployment with the same console keeps what the last one has kept.
 */
export function filesToKeep(deployed: Files, built: Files): Files {
  const own = new Set(namesIn(built, BUILT))
  const before = namesIn(deployed, BUILT)
  const isSame = before.length === own.size && before.every((name) => own.has(name))
  const folder = isSame ? BEFORE : BUILT
  const kept = namesIn(deployed, folder).filter((name) => !own.has(name))
  return Object.fromEntries(kept.map((name) => [name, deployed[`${folder}/${name}`] as Uint8Array]))
}

/** Where the package of a stack's console is: undefined if it has no console. */
export function consolePackage({ template, outputs }: Stack): { bucket: string; key: string } | undefined {
  const key = template.Resources.ConsoleLambdaFunction?.Properties.Code.S3Key
  const bucket = outputs['ServerlessDeploymentBucketName']
  return key && bucket ? { bucket, key } : undefined
}

/**
 * Builds the console, and puts what it keeps of the deployed one to where the package takes it from. `deployed`: the zip of the deployed
 * function; undefined if there is none.
 */
export async function keepFormerFiles(root: string, deployed: Uint8Array | undefined): Promise<void> {
  await buildConsole()
  const kept = deployed ? filesToKeep(unzipSync(deployed), filesIn(root, [BUILT])) : {}
  const folder = join(root, BEFORE)
  // It may hold what was kept for another stage.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(kept)) await writeFile(join(folder, name), content)
}
