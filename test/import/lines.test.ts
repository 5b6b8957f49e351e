import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { ImportRefused } from '../../domain/import/importErrors.ts'
import { checkLines, importLines } from '../../domain/import/importLines.ts'
import { type RunReport, resumeImports, startImport } from '../../domain/import/importRun.ts'
import type { LineFile } from '../../domain/import/lineFile.ts'
import { s3File } from '../../domain/import/s3File.ts'
import { seenIdentities } from '../../domain/import/seenIdentities.ts'
import { handler } from '../../handlers/maintenance/importFile.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'
import type { Service } from '../harness/service.ts'
import { type Bucket, startBucket } from './bucket.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

const sections = ['organisation', 'roles', 'user_groups', 'attribute_definitions', 'channels', 'channel_user_groups']

/** What users refer to, as lines. */
const head = (): string[] => {
  const file = small()
  return sections.flatMap((name) => [file[name] ?? []].flat().map((one: Any) => JSON.stringify({ [name]: one })))
}

const person = (n: number | string, also: object = {}) => ({
  id: `u-${n}`,
  username: `user-${n}`,
  first_name: 'Una',
  last_name: `Number ${n}`,
  external_id: `X-${n}`,
  primary_user_group_id: 'sales',
  ...also,
})
const userLine = (n: number | string, also?: object): string => JSON.stringify({ users: person(n, also) })
const roleLine = (n: number | string): string =>
  JSON.stringify({
    user_group_assignments: { user_id: `u-${n}`, group_id: 'sales-north', role_id: 'coach', source: 'MANUAL' },
  })
const channelLine = (n: number | string): string =>
  JSON.stringify({ channel_assignments: { user_id: `u-${n}`, channel_id: 'news', role_id: 'editor' } })

/** Users with their roles, some of them. */
const people = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => n + from).flatMap((n) => [
    userLine(n),
    ...(n % 2 === 0 ? [roleLine(n)] : []),
    ...(n % 3 === 0 ? [channelLine(n)] : []),
  ])

const sourceOf = (lines: readonly string[]): LineFile => {
  const bytes = Buffer.from(lines.join('\n'))
  return {
    size: bytes.length,
    // Chunks that end anywhere, also within a letter.
    read: async function* (from) {
      for (let at = from; at < bytes.length; at += 977) yield bytes.subarray(at, at + 977)
    },
  }
}

const faultsOf = (run: Promise<unknown>): Promise<string[]> =>
  run.then(
    () => [],
    (error) => {
      if (!(error instanceof ImportRefused)) throw error
      return error.faults.map(
        ({ section, property, reason }) => `${section}${property ? `.${property}` : ''}: ${reason}`,
      )
    },
  )

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

let service: Service
beforeEach(async () => {
  service = await emptyTable()
})

describe('a file of lines', () => {
  it('comes in as the same directory in one document does', async () => {
    const lines = [...head(), ...people(0, 40), '', userLine('ö-é', { id: null })]
    const summary = await importLines(contextOf(service), sourceOf(lines))
    expect(summary.users).toMatchObject({ created: 41, conflicts: 0 })
    expect(summary.user_group_assignments).toMatchObject({ created: 20 })
    expect(summary.channel_assignments).toMatchObject({ created: 14 })
    expect(summary.roles.created).toBeGreaterThan(3)
    expect(summary.organisation).toMatchObject({ created: 1, unchanged: 0 })
    await audit(service)
    const before = await dump(service)
    const again = await importLines(contextOf(service), sourceOf(lines))
    expect(again.users).toMatchObject({ created: 0, unchanged: 41 })
    expect(again.user_group_assignments).toMatchObject({ created: 0, unchanged: 20 })
    expect(again.organisation).toMatchObject({ updated: 0, unchanged: 1 })
    expect(await dump(service)).toEqual(before)
  })

  it('with faults is refused: they name lines, and nothing is written', async () => {
    const more = [
      JSON.stringify({ organisation: { default_language: 'de-DE' } }),
      JSON.stringify({ user_groups: { id: 'unsound', type: 'CUSTOM' } }),
    ]
    const lines = [
      ...head(),
      ...more,
      userLine(1),
      '{"users":{"id":"u-2"',
      JSON.stringify({ users: person(3), roles: [] }),
      JSON.stringify({ tasks: { id: 't' } }),
      JSON.stringify({ nothing: {} }),
      userLine(4, { email: 'no e-mail' }),
      userLine(5, { primary_user_group_id: 'nowhere' }),
      roleLine(4),
      roleLine(77),
      JSON.stringify({ roles: {} }),
      userLine(6, { external_id: 'X-1' }),
      userLine(7, { primary_user_group_id: 'unsound' }),
    ]
    const first = head().length + more.length + 1
    const faults = await faultsOf(importLines(contextOf(service), sourceOf(lines)))
    expect(faults).toEqual([
      `line ${first - 2}, organisation: must not be given twice`,
      `line ${first - 1}, user_groups.title: must be given`,
      `line ${first + 1}: must be one record under the name of its section, as JSON`,
      `line ${first + 2}: must be one record under the name of its section, as JSON`,
      `line ${first + 3}: has a record of tasks, which only a directory in one document may have`,
      `line ${first + 4}: must name a section of a directory`,
      expect.stringMatching(`^line ${first + 5}, users\\.email: must `),
      `line ${first + 9}, roles: must come before all users and their roles`,
      `line ${first + 10}, users.external_id: is the same as that of line ${first}`,
      `line ${first + 6}, users.primary_user_group_id: must name a user group`,
      `line ${first + 8}, user_group_assignments.user_id: must name a user`,
    ])
    expect(await dump(service)).toEqual([])
  })

  it('with very many faults is not read to its end', async () => {
    const broken = Array.from({ length: 3_000 }, () => '{')
    expect(await faultsOf(importLines(contextOf(service), sourceOf(broken)))).toHaveLength(1_000)
  })

  it('has the roles of a user right behind them', async () => {
    const lines = [...head(), userLine(1), userLine(2), roleLine(1)]
    const faults = await faultsOf(importLines(contextOf(service), sourceOf(lines)))
    expect(faults).toEqual([`line ${lines.length}, user_group_assignments.user_id: must follow the line of its user`])
  })

  it('names the line of another record of the same user', async () => {
    await importLines(contextOf(service), sourceOf([...head(), userLine(1)]))
    const lines = [userLine(1, { id: null }), userLine(1, { username: 'renamed', external_id: null })]
    const faults = await faultsOf(importLines(contextOf(service), sourceOf(lines)))
    expect(faults).toEqual(['line 1, users.username: must not belong to line 2, too'])
  })

  it('lists what others take between check and write, and brings in the rest', async () => {
    await importLines(contextOf(service), sourceOf([...head(), userLine(0)]))
    const lines = [...head(), ...people(0, 20)]
    let isTaken = false
    const source = sourceOf(lines)
    const summary = await importLines(
      {
        ...contextOf(service),
        onProgress: async ({ section }) => {
          if (section === 'checks' && !isTaken) isTaken = true
        },
      },
      {
        ...source,
        read: async function* (from) {
          // The second reading is the one that writes.
          if (isTaken) await importLines(contextOf(service), sourceOf([userLine('other', { username: 'USER-6' })]))
          yield* source.read(from)
        },
      },
    )
    expect(summary.users).toMatchObject({ created: 18, unchanged: 1, conflicts: 1 })
    const line = lines.indexOf(userLine(6)) + 1
    expect(summary.conflicts).toEqual([{ section: 'users', index: line, property: 'username' }])
    expect(summary.user_group_assignments).toMatchObject({ created: 9, skipped: 1, conflicts: 0 })
    expect(summary.channel_assignments).toMatchObject({ created: 6, skipped: 1, conflicts: 0 })
    await audit(service)
  })
})

describe('a quarter of a million names', () => {
  it('are held in 10 MB with what is cleared away later, and none is taken for another', () => {
    const seen = seenIdentities()
    const held = () => {
      // The first one leaves buffers to be freed while the program runs; the second one waits for that.
      collectGarbage()
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    const before = held()
    for (let n = 1; n <= 250_000; n++) if (seen.add(`users\nusername\nUSERNAME#person-${n}`, n) !== undefined) throw n
    expect(held() - before).toBeLessThan(10_000_000)
    expect(seen.add('users\nusername\nUSERNAME#person-175001', 5)).toBe(175_001)
    expect(seen.has('users\nusername\nUSERNAME#person-250001')).toBe(false)
  })
})

it('a fault in line 20,000 and two equal names far apart are reported, from a file that is never held as a whole', async () => {
  const first = head()
  const bytes = (text: string) => Buffer.from(text)
  // The benchmark does the same with a million lines.
  const many = 20_000
  const source: LineFile = {
    size: many * 150,
    read: async function* () {
      yield bytes(`${first.join('\n')}\n`)
      for (let line = first.length + 1; line <= many; line += 1_000) {
        const to = Math.min(many, line + 999)
        const lines = Array.from({ length: to - line + 1 }, (_, n) => {
          if (line + n === many) return userLine(line + n, { external_id: `X-${first.length + 3}`, last_name: '' })
          return userLine(line + n, line + n === many - 1 ? { external_id: `X-${first.length + 3}` } : {})
        })
        yield bytes(`${lines.join('\n')}\n`)
      }
    },
  }
  const faults = await faultsOf(checkLines(contextOf(service), source))
  expect(faults).toEqual([
    expect.stringMatching(/^line 20000, users\.last_name: must /),
    `line 19999, users.external_id: is the same as that of line ${first.length + 3}`,
  ])
})

describe('the function importFile', () => {
  let bucket: Bucket
  beforeAll(async () => {
    bucket = await startBucket()
  })
  afterAll(() => bucket.stop())
  beforeEach(() => {
    bucket.breaksAfter = undefined
    bucket.ranges.length = 0
    for (const [name, value] of Object.entries(bucket.env)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
  })

  const name = 'files/imports/all of us, ünd (more).jsonl'
  const begin = (ms = 900_000) => handler({ s3: name }, inTime(ms))
  const schedule = (ms = 900_000) => handler({ source: 'aws.events' }, inTime(ms))
  const inTime = (ms: number) => ({ getRemainingTimeInMillis: () => ms }) as Any
  /** A function that has time for so many slices. */
  const slices = (count: number) => {
    let asked = 0
    return { getRemainingTimeInMillis: () => (asked++ < count ? 900_000 : 30_000) } as Any
  }
  const put = (lines: readonly string[]) => bucket.files.set(name, Buffer.from(lines.join('\n')))
  it('imports a file of the bucket by the permissions of its role, whatever connections break', async () => {
    put([...head(), ...people(0, 30)])
    bucket.breaksAfter = 3_000
    const { used, answer } = await usedBy(() => begin())
    expect(answer).toMatchObject([{ state: 'DONE', users: { created: 30 } }])
    expect(bucket.ranges.length).toBeGreaterThan(3)
    expect(allowedTo('importFile')).toEqual(expect.arrayContaining(used))
    await audit(service)
    expect(await schedule()).toEqual([])
  })

  it('goes on where its time was over, and adds up what it does', async () => {
    // More than a slice of a thousand lines.
    const lines = [...head(), ...people(0, 560)]
    put(lines)
    const stopped = await handler({ s3: name }, slices(40))
    expect(stopped).toMatchObject([{ state: 'RUNNING', lines: lines.length }])
    const created = stopped[0]?.users.created ?? 0
    expect(created).toBeGreaterThan(0)
    expect(created).toBeLessThan(560)
    const done = await schedule()
    expect(done).toMatchObject([
      { state: 'DONE', users: { created: 560, unchanged: 0 }, channel_assignments: { created: 187 } },
    ])
    // The second function asks for the rest only.
    expect(bucket.ranges.at(-1)).not.toBe('bytes=0-')
    await audit(service)
  })

  it('is taken over from a function that has died, and no user comes twice', async () => {
    service.setNow('2026-11-21T09:00:00.000Z')
    put([...head(), ...people(0, 200)])
    const { heal, calls } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') && calls.names.length > 30 ? 'death' : undefined,
    )
    await expect(begin()).rejects.toThrow()
    heal()
    // Until the function is surely dead, no other one goes on.
    expect(await schedule()).toEqual([])
    expect(await begin()).toMatchObject([{ state: 'RUNNING' }])
    service.setNow('2026-11-21T09:02:00.000Z')
    const [report] = await schedule()
    expect(report?.state).toBe('DONE')
    expect((report?.users.created ?? 0) + (report?.users.unchanged ?? 0)).toBe(200)
    await audit(service)
  })

  it('ends with a reason when the file has changed, is missing, or the event is another one', async () => {
    put([...head(), ...people(0, 200)])
    await handler({ s3: name }, slices(100))
    put([...head(), ...people(0, 201)])
    expect(await schedule()).toEqual([])
    // The new file is checked and imported from its beginning.
    expect(await begin()).toMatchObject([{ state: 'DONE', users: { created: expect.any(Number) } }])
    await expect(handler({ s3: 'files/nothing' }, inTime(900_000))).rejects.toThrow(/there is no such file/)
    await expect(handler({ s3: 17 }, inTime(900_000))).rejects.toThrow(/bucket\/key/)
    await expect(handler({}, inTime(900_000))).rejects.toThrow(/bucket\/key/)
  })

  it('gives up what others have made impossible meanwhile', async () => {
    await importDirectory(contextOf(service), small())
    const group = { id: 'new', title: [{ language: 'en-GB', text: 'New' }], external_id: 'G-9' }
    const source = sourceOf([JSON.stringify({ user_groups: { ...group, type: 'CUSTOM' } })])
    let readings = 0
    const open = async () => ({
      ...source,
      etag: 'one',
      read: async function* (from: number) {
        // The second reading is the one that writes.
        if (++readings === 2)
          await call('createGroup', { as: 'ada', body: { ...group, id: 'other', parent_id: 'top' } })
        yield* source.read(from)
      },
    })
    const context = { ...contextOf(service), clock: service.now, timeLeft: () => 900_000 }
    const faults = await faultsOf(startImport(context, 'file', open))
    expect(faults).toEqual(['line 1, user_groups.external_id: must not belong to another user group'])
    expect((await dump(service)).filter(({ pk }) => pk === 'IMPORTS')).toEqual([])
  })

  /** An import of these lines whose first writes take so many seconds each; the schedule looks for work after each of them. */
  async function slowly(lines: string[], secondsOfWrites: (n: number) => number) {
    service.setNow('2026-11-21T09:00:00.000Z')
    const open = async () => ({ ...sourceOf(lines), etag: 'one' })
    const context = { ...contextOf(service), clock: service.now, timeLeft: () => 900_000 }
    const byOthers: RunReport[] = []
    let writes = 0
    const store: Service['store'] = {
      ...service.store,
      write: async (...transaction) => {
        await service.store.write(...transaction)
        const seconds = secondsOfWrites(writes++)
        if (seconds === 0) return
        service.setNow(new Date(service.now().getTime() + seconds * 1000))
        byOthers.push(...(await resumeImports(context, open, (error) => expect.unreachable(String(error)))))
      },
    }
    const [result] = await Promise.allSettled([startImport({ ...context, store }, 'file', open)])
    await audit(service)
    return { result, byOthers, writes }
  }

  it('holds its run while it writes one long slice, so that the schedule starts no second function', async () => {
    const title = [{ language: 'en-GB', text: 'A group' }]
    const groups = Array.from({ length: 120 }, (_, n) => ({ id: `g-${n}`, title, type: 'CUSTOM' }))
    const lines = [...head(), ...groups.map((one) => JSON.stringify({ user_groups: one })), userLine(1)]
    const { result, byOthers, writes } = await slowly(lines, () => 40)
    const report = { state: 'DONE', user_groups: { created: 125 }, users: { created: 1 } }
    expect(result).toMatchObject({ status: 'fulfilled', value: report })
    expect(writes).toBeGreaterThan(4)
    expect(byOthers).toEqual([])
  })

  it('stops before it writes more, where another function has taken its run over', async () => {
    const lines = [...head(), ...Array.from({ length: 5 }, (_, n) => userLine(n))]
    // The first write takes longer than the lease, so the schedule's function goes on, and ends the import.
    const { result, byOthers, writes } = await slowly(lines, (n) => (n === 0 ? 100 : 0))
    const reason = expect.objectContaining({ message: expect.stringContaining('Another function goes on') })
    expect(result).toMatchObject({ status: 'rejected', reason })
    expect(byOthers).toMatchObject([{ state: 'DONE', users: { created: 5 } }])
    expect(writes).toBe(1)
  })

  it('reads only what its credentials open', async () => {
    put(head())
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another')
    await expect(s3File(name)).rejects.toThrow(/403, the parameter importBucket/)
  })
})
