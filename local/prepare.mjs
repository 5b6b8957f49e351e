// Installs the packages when they are missing or older than the lock file, so that a fresh clone needs nothing before
// `npm start` or `npm test`. Plain JavaScript: it runs before the project's own Node is there.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Why packages must be installed, or undefined when they need not be.
 * @param {{ lockedAt: number | undefined, installedAt: number | undefined }} times of package-lock.json, and of the copy
 *   that npm writes as the last step of an installation
 * @returns {string | undefined}
 */
export const reasonToInstall = ({ lockedAt, installedAt }) => {
  if (installedAt === undefined) return 'they are not installed yet'
  if (lockedAt !== undefined && lockedAt > installedAt) return 'package-lock.json is newer than what is installed'
  return undefined
}

/**
 * The command that runs npm: the one that runs us, by the Node that runs it (ours is about to be replaced).
 * @param {Record<string, string | undefined>} env
 * @returns {string[]}
 */
export const npmCommand = (env) =>
  env.npm_execpath && env.npm_node_execpath ? [env.npm_node_execpath, env.npm_execpath] : ['npm']

const modified = (/** @type {string} */ path) => (existsSync(root + path) ? statSync(root + path).mtimeMs : undefined)

const install = (/** @type {string} */ reason) => {
  console.log(`Installing packages (npm ci): ${reason}. This takes less than a minute.`)
  const [command = 'npm', ...args] = npmCommand(process.env)
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync(command, [...args, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) return `npm ci failed (${error?.message ?? `exit code ${status}`}); its own messages are above.`
  if (!existsSync(`${root}node_modules/node/bin`)) return 'npm installed no Node 24: is ignore-scripts set for npm?'
  return undefined
}

const prepare = () => {
  const reason = reasonToInstall({
    lockedAt: modified('package-lock.json'),
    installedAt: modified('node_modules/.package-lock.json'),
  })
  const fault = reason && install(reason)
  if (!fault) return
  console.error(fault)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare()
