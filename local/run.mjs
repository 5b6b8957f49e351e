// node local/run.mjs [--node-option...] NAME [ARGUMENT...]: how the commands of package.json begin. It installs what is missing,
// compiles the schemas if they have changed, and runs local/NAME.ts with the project's Node. It is plain JavaScript, as it begins with
// the Node of the machine. Signals go on to the command, and its exit status comes back. The scripts say `exec`,
// so that npm's signals come here and not to a shell. Only the command itself writes to stdout, as that may be a file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { prepareAll } from './prepare.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const place = args.findIndex((arg) => !arg.startsWith('--'))
const [options, name, rest] = [args.slice(0, place), args[place] ?? '', args.slice(place + 1)]
/** The commands that call the API by the client in client/. */
const callers = ['export', 'plan']

/**
 * Runs a file with the project's Node.
 * @param {string[]} command
 * @param {'inherit' | 2} stdout where its output goes: 2 is stderr
 * @returns {Promise<number>} its exit status
 */
const run = async (command, stdout = 'inherit') => {
  const node = spawn(`${root}node_modules/.bin/node`, command, { stdio: ['inherit', stdout, 'inherit'] })
  const forward = (/** @type {NodeJS.Signals} */ signal) => node.kill(signal)
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  const [status, signal] = /** @type {[number | null, NodeJS.Signals | null]} */ (await once(node, 'exit'))
  for (const one of signals) process.off(one, forward)
  return status ?? 128 + constants.signals[signal ?? 'SIGTERM']
}

process.exitCode =
  (await prepareAll([''])) ||
  (await run([`${root}local/build/compile.ts`], 2)) ||
  (callers.includes(name) && (await run([`${root}local/build/client.ts`], 2))) ||
  (await run([...options, `${root}local/${name}.ts`, ...rest]))
