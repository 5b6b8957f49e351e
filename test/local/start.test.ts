import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../local/listen.ts'
import { type Child, startChild } from '../../local/shared/child.ts'
import { freePort, requireFreePort } from '../../local/shared/ports.ts'
import type { Shown } from '../../local/start/status/measures.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const lines: string[] = []
const ports = { PORT: 0, DYNAMODB_PORT: 0, IDENTITY_PORT: 0 }
let running: Child

const run = (env: Record<string, string | number>, onLine: (line: string) => void) => {
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
  const whole = {
    ...process.env,
    DATA_DIR: '',
    DIRECTORY_FILE: '',
    ...given,
  }
  // A SIGTERM reaches npm alone: `exec` in package.json and local/run.mjs pass it on.
  return startChild({ command: 'npm', args: ['start', '--silent'], cwd: root, env: whole, onLine })
}

const printed = (pattern: RegExp) => lines.map((line) => pattern.exec(line)?.[1]).find(Boolean) ?? ''
const get = (url: string, token = '') => fetch(url, { headers: { authorization: `Bearer ${token}` } })

/** The blocks of a section of a page. */
const blocksOf = (page: string, section: string, language = 'sh'): string[] => {
  const [, text = ''] = new RegExp(`^## ${section}\\n(.*?)^## `, 'ms').exec(readFileSync(root + page, 'utf8')) ?? []
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)
}

// In this order, as the last one ends what all others ask.
type Listed = {
  users?: object[]
  pagination?: { total_elements: number }
  Resources?: { meta: { location: string } }[]
  totalResults?: number
}

describe('npm start', { shuffle: false }, () => {
  beforeAll(async () => {
    for (const name of ['PORT', 'DYNAMODB_PORT', 'IDENTITY_PORT'] as const) ports[name] = await freePort()
    await new Promise<void>((resolve, reject) => {
      running = run({ ...ports, TABLE_NAME: `start-${randomUUID()}` }, (line) => {
        lines.push(line)
        if (line.includes('Requests are listed below')) resolve()
      })
      void running.ended.then(() => reject(new Error(lines.join('\n'))))
    })
  })
  afterAll(() => running?.stop())

  test('prints a request with a token that works', async () => {
    const requests = [...lines.join('\n').matchAll(/^curl -s '([^']+)' -H 'Authorization: Bearer ([^']+)'/gm)]
    // One by the service account, two by a service token: of these the last by SCIM.
    expect(requests.map(([, , token]) => token?.startsWith('rct_'))).toEqual([false, true, true])
    for (const [, url = '', token = ''] of requests) {
      const answer = await get(url, token)
      expect(answer.status).toBe(200)
      const body = (await answer.json()) as Listed
      expect(body.users ?? body.Resources).toHaveLength(2)
      expect(body.pagination?.total_elements ?? body.totalResults).toBeGreaterThan(300)
    }
    const [, url = ''] = requests.at(-1) ?? []
    expect(url).toMatch(printed(/SCIM\s+(\S+)/))
  })

  test('prints an API page that shows the API', async () => {
    const page = printed(/API page\s+(\S+)/)
    expect((await fetch(page)).headers.get('content-type')).toMatch('text/html')
    expect((await fetch(`${page}/openapi.json`)).status).toBe(200)
  })

  test('prints a console, whose page, script and settings are there', async () => {
    const address = printed(/Console\s+(\S+)/)
    const page = await fetch(address)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(await page.text()) ?? []
    const loaded = await fetch(new URL(script, address), { headers: { 'accept-encoding': 'br' } })
    expect([loaded.status, loaded.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(await (await fetch(`${address}/config.json`)).json()).toMatchObject({
      issuer: `http://localhost:${ports.IDENTITY_PORT}`,
      client_id: 'rollcall-console',
    })
    expect((await fetch(`${address}/people?id=1`)).headers.get('content-type')).toMatch('text/html')
    expect((await fetch(`${address}/unknown.js`)).status).toBe(404)
  })

  test('shows a few people of the demo to sign in as', async () => {
    const redirect = `http://localhost:${ports.PORT}/console/callback`
    const query = new URLSearchParams({
      ...{ client_id: 'rollcall-console', redirect_uri: redirect, response_type: 'code', scope: 'openid' },
      ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
    })
    const page = await (await fetch(`http://localhost:${ports.IDENTITY_PORT}/authorize?${query}`)).text()
    const people = [...page.matchAll(/<button name="username" value="([^"]+)">([^<]+) <small>([^<]+)</g)]
    expect(people.map(([, username, , about]) => [about, username])).toEqual([
      ['Administrator', 'admin'],
      ['Gives tasks', 'user'],
      ['User', expect.stringMatching(/^[a-z.-]+$/)],
      ['User', expect.stringMatching(/^[a-z.-]+$/)],
    ])
  })

  test('prints a status page that has counted the calls so far', async () => {
    const page = printed(/Status\s+(\S+)/)
    expect(await (await fetch(page)).text()).toContain('/status/show.js')
    const values = async (title: string) => {
      const { charts } = (await (await fetch(`${page}/values.json`)).json()) as Shown
      return charts.find((chart) => chart.title === title)?.lines[0]?.values ?? []
    }
    // Lines of the API come through a pipe, and the worker looks every second.
    await expect.poll(async () => (await values('Calls')).some((value) => (value ?? 0) > 0)).toBe(true)
    await expect.poll(async () => (await values('Work left')).some((value) => value !== null)).toBe(true)
  })

  test('logs the demo administrator in, refuses them at once when they are locked, and lists it in short lines', async () => {
    const logIn = async () => {
      const form = new URLSearchParams({ grant_type: 'password', username: 'admin', password: 'password' })
      const answer = await fetch(printed(/Tokens\s+(\S+)/), { method: 'POST', body: form })
      return { status: answer.status, token: ((await answer.json()) as { access_token?: string }).access_token }
    }
    const users = `http://localhost:${ports.PORT}/api/admin/users/v4/users`
    const service = printed(/^curl .*Bearer ([^'$]+)'/)
    const act = (action: string) =>
      fetch(`${users}/demo-admin/${action}`, { method: 'POST', headers: { authorization: `Bearer ${service}` } })

    const { token } = await logIn()
    expect((await get(users, token)).status).toBe(200)
    expect((await act('lock')).status).toBe(200)
    expect((await get(users, token)).status).toBe(401)
    expect((await logIn()).status).toBe(400)
    expect((await act('unlock')).status).toBe(200)
    expect((await get(users, token)).status).toBe(200)
    const isListed = () => lines.some((line) => /^\d\d:\d\d:\d\d {2}200 {2}lockUser/.test(line))
    await expect.poll(isListed).toBe(true)
  })

  test('brings events to npm run listen', async () => {
    expect(lines).toContain(`PORT=${ports.PORT} IDENTITY_PORT=${ports.IDENTITY_PORT} npm run listen`)
    const heard: string[] = []
    const tokens = printed(/Tokens\s+(\S+)/)
    const settings = { api: `http://localhost:${ports.PORT}`, tokens, port: 0, types: ['user.*'] }
    const { stop } = await listen(settings, (line) => heard.push(line))
    const service = printed(/^curl .*Bearer ([^'$]+)'/)
    const headers = { authorization: `Bearer ${service}`, 'content-type': 'application/json' }
    const user = (action: string) =>
      fetch(`http://localhost:${ports.PORT}/api/admin/users/v4/users/demo-admin/${action}`, { method: 'POST', headers })
    const isHeard = async () => {
      // From five seconds after the webhook was made on, nothing is left out.
      for (const action of ['lock', 'unlock']) await user(action)
      return heard.some((line) => /user\.unlocked +demo-admin +by service-account-admin \(unlockUser\)/.test(line))
    }
    await expect.poll(isHeard, { interval: 1000 }).toBe(true)
    await stop()
  })

  describe('the page about plans', () => {
    const page = 'docs/plans.md'
    /** What lines print that are pasted into a shell. */
    const paste = async (lines: string) => {
      const env = { ...process.env, ...Object.fromEntries(Object.entries(ports).map(([k, port]) => [k, String(port)])) }
      return (await promisify(execFile)('bash', ['-c', `set -e\n${lines}`], { env, cwd: root })).stdout
    }
    const jsonIn = (text: string) => text.split(/^(?=\{$)/m).map((part) => JSON.parse(part))

    test('plans the file of HR from a program', async () => {
      const [requests = ''] = blocksOf('README.md', 'Use it')
      const [creating = ''] = blocksOf(page, 'Lock a department')
      // What others use of these blocks, without their requests.
      const known = requests.slice(0, requests.search(/^api /m)) + creating.slice(0, creating.indexOf('ANSWER='))
      const [sending = '', reading = ''] = blocksOf(page, 'Load a file from a program')
      const [made, checked] = jsonIn(await paste(known + sending))
      expect([made.state, checked.id, checked.state]).toEqual(['WAITING', made.id, 'CHECKING'])
      const again = `${known}PLAN=${made.id}\n`
      const state = async () => jsonIn(await paste(`${again}api GET $PLANS/$PLAN`))[0].state
      await expect.poll(state).toBe('READY')
      const [changes, faults] = jsonIn(await paste(again + reading))
      expect([changes.changes.length, faults.faults.length]).toEqual([2, 3])
    })

    test('shows HR what its file would do, does it, and takes it back', async () => {
      const [planning = ''] = blocksOf(page, 'Load the file of HR')
      const [promised = ''] = blocksOf(page, 'Load the file of HR', 'text')
      const shown = await paste(planning)
      const lines = shown
        .slice(shown.search(/^Plan /m))
        .trimEnd()
        .split('\n')
      const wanted = promised.trimEnd().split('\n')
      expect(lines).toHaveLength(wanted.length)
      // An … stands for the rest of a line, and of the id and the date in the first and the last one.
      for (const [n, line] of lines.slice(1, -1).entries()) {
        const [begins = '', ...more] = wanted[n + 1]?.split('…') ?? []
        expect(more.length > 0 ? line.slice(0, begins.length) : line).toBe(begins)
      }
      const next = (text: string) => /npm run plan -- .*/.exec(text.trimEnd().split('\n').at(-1) ?? '')?.[0] ?? ''
      const applied = await paste(next(shown))
      expect(applied).toContain('  done               9\n')
      const undo = await paste(next(applied))
      expect(await paste(`${next(undo)} --planned 9`)).toContain('  done               9\n')
    })
  })

  test('does not start twice on one port', async () => {
    const said: string[] = []
    const second = run({ ...ports, IDENTITY_PORT: await freePort(), DYNAMODB_PORT: await freePort() }, (line) =>
      said.push(line),
    )
    expect(await second.ended).toBe(1)
    expect(said).toEqual([`Port ${ports.PORT} is taken. Set PORT to another one.`])
  })

  test('does not start with a database that is not there', async () => {
    const said: string[] = []
    const [PORT, IDENTITY_PORT] = [await freePort(), await freePort()]
    const other = run({ PORT, IDENTITY_PORT, DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, (line) => said.push(line))
    expect(await other.ended).toBe(1)
    expect(said).toEqual(['Nothing answers at http://127.0.0.1:1: is DYNAMODB_ENDPOINT right?'])
  })

  test('ends with everything that it started', async () => {
    await running.stop()
    expect(await running.ended).toBe(0)
    for (const [variable, port] of Object.entries(ports)) await requireFreePort(port, variable)
  })
})
