import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A running command: its output line by line, its end, and the way to end it. */
export type Child = {
  /** Settles with the exit code when the command has ended. */
  ended: Promise<number>
  stop: () => Promise<void>
  /** The id of its process group. */
  group: number
}

type Command = {
  command: string
  args: string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  onLine: (line: string) => void
}

const wrapper = fileURLToPath(new URL('childWrapper.ts', import.meta.url))

/**
 * Starts a command that never outlives this process. It runs in a separate process group, so Ctrl-C in the terminal
 * reaches only this process, which ends the command in order.
 */
export const startChild = ({ command, args, cwd, env, onLine }: Command): Child => {
  const child = spawn(process.execPath, [wrapper, command, ...args], {
    cwd,
    env: env ?? process.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  for (const input of [child.stdout, child.stderr]) createInterface({ input, crlfDelay: Infinity }).on('line', onLine)
  // The pipe breaks if the command ends first; `ended` reports that.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { ended, stop, group: child.pid ?? 0 }
}
