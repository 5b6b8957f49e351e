import { execFile, fork } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import type { Bench } from './figures.ts'

/** Runs a script in a fresh process, with a file as its argument, and returns the last line that it prints. */
export async function inProcess(script: string, file: string, env?: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, file], {
    cwd: tmpdir(),
    ...(env ? { env: { PATH: process.env['PATH'], ...env } } : {}),
  })
  return stdout.trim().split('\n').at(-1) ?? ''
}

/** What such a process sends: its progress, and at the end its result. */
type Message<Result> = { said: string } | { result: Result }

/** Lets a file do a job in a separate process, which serves it by `serve`, so that what it takes is measured alone. */
export const done = <Result>(file: URL, job: object, say: Bench['say'], execArgv: string[] = []): Promise<Result> =>
  new Promise((resolve, reject) => {
    const child = fork(file, { execArgv })
    child.on('message', (message: Message<Result>) => ('said' in message ? say(message.said) : resolve(message.result)))
    child.on('exit', (code) => reject(new Error(`${file.pathname} has ended with ${code}`)))
    child.send(job)
  })

/** Does the job of the process that started this one, and sends the result. */
export const serve = <Job, Result>(work: (job: Job, say: Bench['say']) => Promise<Result>): void =>
  void process.once('message', async (job: Job) => {
    const result = await work(job, (said) => process.send?.({ said }))
    process.send?.({ result })
    process.disconnect()
  })
