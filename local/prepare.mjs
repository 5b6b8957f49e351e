// node local/prepare.mjs [FOLDER...]: installs the packages, among them the project's Node, if they are missing or others than the
// lock file names, so that `npm start` and `npm test` work in a fresh clone. At the same time it does that for each FOLDER, with packages that
// few people need. It is plain JavaScript, because it runs before the project's Node is installed. It is not a `prestart` script,
// because npm skips those with `ignore-scripts`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * @typedef {{ packages: Record<string, { version?: string, integrity?: string, optional?: boolean }> }} Lock
 */

/**
 * Whether npm has installed what the lock file names, which leaves out packages for other systems. Contents are compared, as a
 * checkout gives files new times.
 * @param {Lock} wanted
 * @param {Lock} installed
 */
const isSame = ({ packages: wanted }, { packages: installed }) =>
  Object.keys(installed).every((path) => path in wanted) &&
  Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    const found = installed[path]
    if (path === '' || !found) return path === '' || optional
    return found.version === version && found.integrity === integrity
  })

/**
 * Why packages must be installed; undefined if they are current.
 * @param {{ wanted: Lock | undefined, installed: Lock | undefined, hasNode: boolean }} found package-lock.json and the list
 *   that npm writes as the last step of an installation; whether the project's Node runs
 * @returns {string | undefined}
 */
export const reasonToInstall = ({ wanted, installed, hasNode }) => {
  if (installed === undefined) return 'they are not installed yet'
  if (wanted !== undefined && !isSame(wanted, installed)) return 'package-lock.json names others than are installed'
  return hasNode ? undefined : 'the Node that the project runs with is not among them'
}

/**
 * The npm command that runs this script, with npm's Node, because the project's Node is about to be replaced.
 * @param {Record<string, string | undefined>} env
 * @returns {string[]}
 */
export const npmCommand = (env) =>
  env.npm_execpath && env.npm_node_execpath ? [env.npm_node_execpath, env.npm_execpath] : ['npm']

const noNode =
  "The Node that the project runs with is missing, as npm runs no installation scripts here (ignore-scripts). 'npm rebuild node --ignore-scripts=false' installs it."

/** @returns {Lock | undefined} */
const lockAt = (/** @type {string} */ path) =>
  existsSync(root + path) ? JSON.parse(readFileSync(root + path, 'utf8')) : undefined

/** The Node that comes with the packages: an installation without scripts leaves it out. */
const hasNode = () => spawnSync(`${root}node_modules/.bin/node`, ['--version']).status === 0

/**
 * Installs the packages of a folder: '' or a path that ends with a slash.
 * @returns {Promise<string | undefined>} what went wrong
 */
const install = async (/** @type {string} */ folder, /** @type {string} */ reason) => {
  const where = folder && ` of ${folder}`
  console.error(`Installing packages${where} (npm ci): ${reason}. This takes less than a minute.`)
  const [command = 'npm', ...args] = npmCommand(process.env)
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = spawn(command, [...args, ...options], { cwd: root + folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const [status] = await once(npm, 'exit').catch(({ message }) => [message])
  if (status !== 0) return `npm ci failed (${status}); its own messages are above.`
  return folder || hasNode() ? undefined : noNode
}

/**
 * Installs the packages of a folder ('' or a path that ends with a slash) if they are missing or not those of the lock file.
 * @returns {Promise<string | undefined>} what went wrong
 */
export const prepare = async (/** @type {string} */ folder) => {
  const found = {
    wanted: lockAt(`${folder}package-lock.json`),
    installed: lockAt(`${folder}node_modules/.package-lock.json`),
    hasNode: folder !== '' || hasNode(),
  }
  const reason = reasonToInstall(found)
  // If npm runs no scripts, another installation would not install the Node, either.
  const lacksOnlyNode = reasonToInstall({ ...found, hasNode: true }) === undefined
  const isInVain = lacksOnlyNode && process.env.npm_config_ignore_scripts === 'true'
  return reason && (isInVain ? noNode : install(folder, reason))
}

/**
 * Installs the packages of several folders at the same time. Says what went wrong.
 * @param {string[]} folders
 * @returns {Promise<number>} an exit status
 */
export const prepareAll = async (folders) => {
  const faults = (await Promise.all(folders.map(prepare))).filter(Boolean)
  for (const fault of faults) console.error(fault)
  return faults.length > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await prepareAll(['', ...process.argv.slice(2).map((name) => `${name}/`)])
