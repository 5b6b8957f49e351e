import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Running } from '../http/service.ts'

const root = new URL('../..', import.meta.url).pathname
const readme = readFileSync(`${root}client/README.md`, 'utf8')

/** The TypeScript examples by the heading above them. */
const examples = readme
  .split(/^## /m)
  .map((part) => [part.split('\n')[0] ?? '', /```ts\n(.*?)```/s.exec(part)?.[1] ?? ''] as const)
  .filter(([, code]) => code !== '')
const [, first = ''] = examples[0] ?? []
/** The client of the first example, without the call. */
const client = first.slice(0, first.lastIndexOf('\n\n') + 1)

/** The README's examples, as files in the package, so that they import it by its name as its users do. */
export const clientExamples = (running: () => Running) =>
  describe('the examples of the client’s README', { shuffle: false }, () => {
    const folder = mkdtempSync(`${root}client/.examples-`)
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    /** What each example has printed. */
    let printed: string[] = []
    let errors = ''
    beforeAll(async () => {
      await running().fill('EMPTY')
      for (const [n, [, code]] of examples.entries()) {
        const whole = n === 0 ? code : `${client}${code}`
        const local = whole
          .replaceAll('http://localhost:3000', running().baseUrl)
          .replaceAll('http://localhost:8080/token', running().tokenEndpoint)
        writeFileSync(`${folder}/${n}.ts`, local)
      }
      // In one process, as starting one for each takes longer than the examples.
      const all = examples.map((_, n) => `console.log('example'); await import('./${n}.ts').catch(console.error)`)
      writeFileSync(`${folder}/all.mjs`, all.join('\n'))
      const { stdout, stderr } = await run(`${folder}/all.mjs`)
      printed = stdout.split(/^example\n/m).slice(1)
      errors = stderr
    })
    // The service answers from this process, so it must not wait for the other one.
    const run = (...args: string[]) =>
      new Promise<{ stdout: string; stderr: string }>((resolve) =>
        execFile(process.execPath, args, { cwd: root }, (_error, stdout, stderr) => resolve({ stdout, stderr })),
      )

    test('are fourteen', () => expect(examples).toHaveLength(14))

    test.each(examples.map(([heading, code], n) => [heading, code, n] as const))('%s', (_heading, code, n) => {
      const promised = [...code.matchAll(/\/\/ → (.*)/g)].map(([, line]) => line)
      expect(promised.length).toBeGreaterThan(0)
      expect(printed[n]?.trim().split('\n'), errors).toEqual(promised)
    })

    test('have the types that the package declares', async () => {
      const options = {
        extends: '../tsconfig.json',
        include: ['*.ts'],
        compilerOptions: { noEmit: true, rootDir: '..', noUnusedLocals: false },
      }
      writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(options))
      expect(await run('node_modules/typescript-native/bin/tsc', '-p', folder)).toEqual({ stdout: '', stderr: '' })
    })
  })
