// Installs the packages when they or the project's own Node are missing, or older than the lock file, so that a fresh clone
// needs nothing before `npm start` or `npm test`. Plain JavaScript: it runs before the project's own Node is there. Scripts
// run it in a shell of its own, as a shell keeps in mind where it has found `node`; and not as `prestart` and the like,
// which npm leaves out where `ignore-scripts` is set.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Why packages must be installed, or undefined when they need not be.
 * @param {{ lockedAt: number | undefined, installedAt: number | undefined, hasNode: boolean }} found the times of
 *   package-lock.json and of the copy that npm writes as the last step of an installation; whether the project's Node runs
 * @returns {string | undefined}
 */
export const reasonToInstall = ({ lockedAt, installedAt, hasNode }) => {
  if (installedAt === undefined) return 'they are not installed yet'
  if (lockedAt !== undefined && lockedAt > installedAt) return 'package-lock.json is newer than what is installed'
  return hasNode ? undefined : 'the Node that the project runs with is not among them'
}

/**
 * The command that runs npm: the one that runs us, by the Node that runs it (ours is about to be replaced).
 * @param {Record<string, string | undefined>} env
 * @returns {string[]}
 */
export const npmCommand = (env) =>
  env.npm_execpath && env.npm_node_execpath ? [env.npm_node_execpath, env.npm_execpath] : ['npm']

const noNode =
  "The Node that the project runs with is missing, as npm runs no installation scripts here (ignore-scripts). 'npm rebuild node --ignore-scripts=false' installs it."

const modified = (/** @type {string} */ path) => (existsSync(root + path) ? statSync(root + path).mtimeMs : undefined)

/** The Node that comes with the packages: an installation without scripts leaves it out. */
const hasNode = () => spawnSync(`${root}node_modules/.bin/node`, ['--version']).status === 0

const install = (/** @type {string} */ reason) => {
  console.log(`Installing packages (npm ci): ${reason}. This takes less than a minute.`)
  const [command = 'npm', ...args] = npmCommand(process.env)
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync(command, [...args, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) return `npm ci failed (${error?.message ?? `exit code ${status}`}); its own messages are above.`
  return hasNode() ? undefined : noNode
}

const prepare = () => {
  const found = {
    lockedAt: modified('package-lock.json'),
    installedAt: modified('node_modules/.package-lock.json'),
    hasNode: hasNode(),
  }
  const reason = reasonToInstall(found)
  // Where npm runs no scripts, another installation would leave the Node out again.
  const lacksOnlyNode = reasonToInstall({ ...found, hasNode: true }) === undefined
  const isInVain = lacksOnlyNode && process.env.npm_config_ignore_scripts === 'true'
  const fault = reason && (isInVain ? noNode : install(reason))
  if (!fault) return
  console.error(fault)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare()
