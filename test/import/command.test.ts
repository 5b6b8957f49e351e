import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import * as keys from '../../domain/table/keys.ts'
import { handler } from '../../handlers/maintenance/importDirectory.ts'
import { freePort } from '../../local/shared/ports.ts'
import { progressLine } from '../../local/shared/progressLine.ts'
import type { Any } from '../harness/call.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

let folder: string
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-'))
  service = await emptyTable('all')
})
afterAll(() => rm(folder, { recursive: true }))

const file = async (name: string, content: unknown): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

type Ended = { code: number | null; out: string; err: string }

const run = (command: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [`local/${command}.ts`, ...args], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        TABLE_NAME: service.tableName,
        DYNAMODB_ENDPOINT: dynamoDBEndpoint(),
        ...env,
      },
    })
    const [out, err]: string[][] = [[], []]
    child.stdout.on('data', (text) => out?.push(String(text)))
    child.stderr.on('data', (text) => err?.push(String(text)))
    child.on('close', (code) => resolve({ code, out: (out ?? []).join(''), err: (err ?? []).join('') }))
  })

describe('npm run import', () => {
  it('imports a file and tells what became of it', async () => {
    const empty = await emptyTable('all')
    await file('small.json', `\uFEFF${JSON.stringify(small())}`)
    // A relative path is that of the folder from where npm was called.
    const { code, out, err } = await run('import', ['small.json'], { TABLE_NAME: empty.tableName, INIT_CWD: folder })
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toMatch(/^users +5 of 5( |$)/m)
    expect(out).toMatch(/^ +created +updated +unchanged +different +skipped +conflicts$/m)
    expect(out).toMatch(/^users +5 +0 +0 +0 +0 +0$/m)
    expect(out).not.toContain('Stored with other values')
    expect(await empty.store.get(keys.userKey('ben'))).toBeDefined()
  })

  it('lists the first twenty records that it has kept although the file says something else', async () => {
    const users = Array.from({ length: 23 }, (_, n) => ({
      id: `k${n}`,
      username: `k${n}`,
      first_name: 'K',
      last_name: 'K',
    }))
    await importDirectory(contextOf(service), { users })
    const changed = users.map((user, n) => ({
      ...user,
      last_name: 'Secret',
      ...(n === 0 ? { email: 'k@example.com' } : {}),
    }))
    const { code, out } = await run('import', [await file('after.json', { users: changed })])
    expect(code).toBe(0)
    expect(out).toMatch(/^users +0 +0 +0 +23 +0 +0$/m)
    const lines = out.trimEnd().split('\n')
    expect(lines.slice(-23)).toEqual([
      '',
      'Stored with other values than in the file, and kept as they are:',
      'users[0]: last_name, email',
      ...Array.from({ length: 19 }, (_, n) => `users[${n + 1}]: last_name`),
      'and 3 more',
    ])
    expect(out).not.toMatch(/Secret|example\.com/)
  })

  it('imports files of lines, one after the other, and stops at one with faults', async () => {
    const lines = (...ids: string[]) =>
      ids.map((id) => JSON.stringify({ users: { id, username: id, first_name: 'L', last_name: 'L' } })).join('\n')
    const [first, second, faulty] = [
      await file('first.jsonl', `\uFEFF${lines('l1', 'l2')}\n`),
      await file('second.jsonl', lines('l3')),
      await file('faulty.jsonl', `${lines('l4')}\n{"users":{"id":"l5"}}\n`),
    ]
    const both = await run('import', [first, second])
    expect(both).toMatchObject({ code: 0, err: '' })
    expect(both.out.match(/^users .*$/gm)).toEqual([
      expect.stringMatching(/^users +2 of 2( |$)/),
      expect.stringMatching(/^users +2 +0 +0 +0 +0 +0$/),
      expect.stringMatching(/^users +1 of 1( |$)/),
      expect.stringMatching(/^users +1 +0 +0 +0 +0 +0$/),
    ])
    const { code, err } = await run('import', [faulty, first])
    expect(code).toBe(1)
    expect(err).toMatch(/^line 2, users\.first_name: /m)
    expect(err.trimEnd().split('\n').at(-1)).toMatch(/it is not imported any further\.$/)
    expect(await service.store.get(keys.userKey('l4'))).toBeUndefined()
  })

  it('lists faults, one a line, up to a hundred', async () => {
    const users = Array.from({ length: 120 }, (_, n) => ({
      username: `u${n}`,
      first_name: 'U',
      last_name: 'U',
      email: 'x@',
    }))
    const { code, out, err } = await run('import', [await file('faults.json', { users: users.slice(0, 70) })])
    expect(code).toBe(1)
    expect(out).not.toContain('created')
    const lines = err.trimEnd().split('\n')
    expect(lines.slice(0, 2)).toEqual([
      'users[0].email: must have at least 5 characters',
      'users[0].email: must be an e-mail address, with up to 64 characters before the @',
    ])
    expect(lines.slice(100)).toEqual(['and 40 more', 'The directory has 140 faults: it is not imported any further.'])
  })

  it.each([
    ['no file', () => ['/nowhere/x.json'], /^\/nowhere\/x\.json: there is no such file\.$/],
    ['a folder', () => [folder], /^\S+ cannot be read: [^\n]+$/],
    ['no JSON', async () => [await file('broken.json', '{"users": [')], /^\S+broken\.json is not JSON: [^\n]+$/],
    ['no argument', () => [], /^Usage: npm run import -- FILE/],
    ['an unknown option', () => ['--dry'], /^Unknown option '--dry'/],
    ['no table named for AWS', () => ['x.json', '--aws'], /^With --aws, --table or TABLE_NAME must name the table/],
  ])('%s: one clear line', async (_what, args, message) => {
    const { code, err } = await run('import', await args(), { TABLE_NAME: '' })
    expect(code).toBe(1)
    expect(err.split('\n')[0]).toMatch(message.source.startsWith('^Usage') ? /^Usage/ : message)
  })

  it('says so when nothing answers, and when there is no such table', async () => {
    const path = await file('empty.json', {})
    const nobody = `http://localhost:${await freePort()}`
    const silent = await run('import', [path], { DYNAMODB_ENDPOINT: nobody })
    expect(silent).toMatchObject({ code: 1, out: '' })
    expect(silent.err).toMatch(new RegExp(`^Nothing answers at ${nobody}: [^\\n]+\\n$`))
    const missing = await run('import', [path], { TABLE_NAME: 'no-table' })
    expect(missing).toMatchObject({ code: 1 })
    expect(missing.err).toMatch(/^There is no table no-table at http:\/\/127\.0\.0\.1:\d+\.\n$/)
  })

  it('explains itself', async () => {
    expect(await run('import', ['--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: npm run import/),
    })
  })
})

describe('npm run purge', () => {
  it('removes who is due, and says how many', async () => {
    const user = { id: 'late', username: 'late', first_name: 'L', last_name: 'L', status: 'PENDING_DELETION' }
    const past = { ...contextOf(service), now: '2020-01-01T00:00:00.000Z' }
    await importDirectory(past, { users: [{ ...user, deletion_at: '2020-01-02T00:00:00.000Z' }] })
    expect((await run('purge')).out).toMatch(/^1 user removed\.$/m)
    expect(await service.store.get(keys.userKey('late'))).toBeUndefined()
    expect(await run('purge')).toEqual({ code: 0, out: '0 users removed.\n', err: '' })
  })

  it('says in words, not in JSON, that there is no such table', async () => {
    const missing = await run('purge', [], { TABLE_NAME: 'no-table' })
    expect(missing).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^There is no table no-table at .*\n$/),
    })
  })

  it('explains itself', async () => {
    expect(await run('purge', ['--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: npm run purge/),
    })
    const unknown = await run('purge', ['--all'])
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^Unknown option '--all'/) })
  })
})

test('npm run rotate on AWS says so when there are no credentials', async () => {
  const env = { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true' }
  const { code, err } = await run('rotate', ['--aws', '--table', 'any'], env)
  expect([code, err]).toEqual([1, 'There are no AWS credentials in the environment.\n'])
})

describe('the function importDirectory', () => {
  const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => 900_000 } as Any
  const packed = (value: unknown) => ({ gzip: gzipSync(`\ufeff${JSON.stringify(value)}`).toString('base64') })

  it('imports the directory that it is called with, plain or compressed, by the permissions of its role', async () => {
    const empty = await emptyTable('all')
    const { answer, used } = await usedBy(() => handler(small(), context))
    expect(answer.users.created).toBe(5)
    const bySystem = { type: 'user.created', actor: null, operation: 'importDirectory', request: context.awsRequestId }
    for (const id of ['ada', 'ben', 'dan', 'eve']) {
      const { items } = await empty.store.query({ hash: `EVENTS#user#${id}` })
      expect(items.filter(({ kind }) => kind === 'user')).toMatchObject([bySystem])
    }
    expect(await usedBy(() => handler(packed(small()), context))).toMatchObject({ answer: { users: { unchanged: 5 } } })
    expect(allowedTo('importDirectory')).toEqual(expect.arrayContaining(used))
    const lines = empty.logged()
    expect(lines.at(-1)).toMatchObject({
      level: 'info',
      endpoint: 'importDirectory',
      summary: { users: { unchanged: 5 } },
    })
    expect(JSON.stringify(lines)).not.toMatch(/ben|example\.com/)
  })

  it('fails with the first faults, and with no value of any of them', async () => {
    await emptyTable('all')
    const directory = small()
    for (const user of directory.users) user.email = `${user.username} at example.com`
    const error: Error = await handler(packed(directory), context).catch((thrown) => thrown)
    expect(error.message.split('\n').slice(0, 2)).toEqual([
      'The directory has 5 faults: it is not imported any further',
      'users[0].email: must be an e-mail address, with up to 64 characters before the @',
    ])
    expect(error.message).not.toContain('example.com')
  })

  const bomb = () => gzipSync(Buffer.alloc(200_000_001, ' '), { level: 1 }).toString('base64')
  it.each([
    ['no', () => 'no'],
    ['not compressed', () => Buffer.from('{}').toString('base64')],
    ['too large when it is unpacked', bomb],
  ])('refuses what it cannot unpack: %s', async (_what, made) => {
    const gzip = made()
    await expect(handler({ gzip }, context)).rejects.toThrow(/^gzip must be a directory as JSON/)
  })

  it('stops in good order when its time runs out, and goes on when called again', async () => {
    const empty = await emptyTable('all')
    let calls = 0
    const short = { getRemainingTimeInMillis: () => (++calls > 6 ? 10_000 : 60_000) } as Any
    const users = Array.from({ length: 200 }, (_, n) => ({
      id: `u${n}`,
      username: `u${n}`,
      first_name: 'U',
      last_name: 'U',
    }))
    await expect(handler({ users }, short)).rejects.toThrow(/^The time was too short/)
    const { users: tally } = await handler({ users }, context)
    expect(tally.created).toBeLessThan(200)
    expect(tally.created + tally.unchanged).toBe(200)
    empty.logged()
  })
})

describe('progress', () => {
  const shown = (isTTY: boolean) => {
    let [text, now] = ['', 0]
    const progress = progressLine({ isTTY, write: (part) => (text += part) }, () => now)
    for (const [at, done] of [
      [0, 10],
      [500, 20],
      [2_500, 50],
      [2_600, 60],
      [4_000, 100],
    ] as const) {
      now = at
      progress.show({ section: 'users', done, total: 100 })
    }
    progress.show({ section: 'tasks', done: 1, total: 1 })
    progress.end()
    return text
  }

  it('is a line that is kept up to date on a terminal', () => {
    expect(
      shown(true)
        .split('\r\x1b[K')
        .map((line) => line.trimEnd()),
    ).toEqual([
      '',
      'users                   10 of 100',
      'users                   20 of 100',
      'users                   50 of 100  20/s',
      'users                   60 of 100  23/s',
      'users                  100 of 100  25/s',
      'tasks                  1 of 1',
    ])
  })

  it('is a line every two seconds elsewhere', () => {
    expect(shown(false)).toBe(
      'users                   10 of 100\nusers                   50 of 100  20/s\nusers                  100 of 100  25/s\ntasks                  1 of 1\n',
    )
  })
})
