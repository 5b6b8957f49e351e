// Runs a command as long as standard input stays open. The operating system closes that pipe when the starting process
// ends in any way, kill -9 included. So nothing that is started here outlives `npm start` or a test run.
import { spawn } from 'node:child_process'

/** What does not end by itself is killed after this time. A busy machine may take seconds for what ends by itself. */
const millisecondsToEnd = 30_000

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })

child.on('error', (error: NodeJS.ErrnoException) => {
  console.error(`${command}: ${error.code ?? error.message}`)
  process.exit(127)
})
child.on('exit', (code) => process.exit(code ?? 1))

const end = () => {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), millisecondsToEnd).unref()
}
process.stdin.on('end', end).on('error', end).resume()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
