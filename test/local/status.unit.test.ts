import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { DomUtils, parseDocument } from 'htmlparser2'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { outcomeOf, writeLine } from '../../handlers/middleware/log.ts'
import { charts } from '../../local/build/metricCharts.ts'
import { Measured, STEP } from '../../local/start/status/measures.ts'
import { handler, STATUS_SOURCE } from '../../local/start/status/page.ts'
import { startStatus } from '../../local/start/status/serveMeasures.ts'
import { hasBrowser, inPage, leftOut, servePages } from '../harness/browser.ts'

const ask = (file?: string) =>
  handler({ pathParameters: file ? { file } : undefined } as unknown as APIGatewayProxyEventV2)

/** A quarter of an hour of a service in use. */
function measuredForAWhile(): Measured {
  let now = Date.UTC(2026, 10, 22, 12)
  const measured = new Measured(() => now)
  for (let step = 0; step < 90; step++, now += STEP * 1000) {
    const calls = 20 + Math.round(15 * Math.sin(step / 9))
    for (let n = 0; n < calls; n++) {
      measured.add({
        Requests: 1,
        Latency: 4 + ((n * 7) % 30),
        DatabaseRequests: 2 + (n % 3),
        DatabaseRounds: 2,
        ReadUnits: 3,
      })
      if (n % 5 === 0) measured.add({ WriteUnits: 4, WorkNoted: 1, WorkFinished: 1 })
      if (n % 9 === 0) measured.add({ ClientErrors: 1 }, n % 2 ? 'USER_NOT_FOUND' : 'VALIDATION_ERROR')
    }
    if (step % 30 === 10) measured.add({ ServerErrors: 1, DatabaseThrottles: 3, ColdStarts: 2 }, 'SERVICE_UNAVAILABLE')
    measured.add({
      PurgeRuns: 1,
      UsersPurged: step % 3,
      WorkFailed: 0,
      WorkEntries: step % 7,
      WorkStuck: 0,
      WorkOverdue: step % 4,
      PlanWaiting: step % 5,
    })
    measured.add({ Deliveries: step % 5, DeliveryFailures: step % 2, WebhooksFailing: 1, WebhooksDisabled: 1 })
    if (step > 40) measured.add({ ImportedRecords: (step - 40) * 500, RecordsToImport: 25_000 })
  }
  now -= STEP * 1000
  return measured
}

describe('what is shown', () => {
  test('comes from the lines of the log, by steps of time', () => {
    let now = 0
    const measured = new Measured(() => now)
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      for (const one of String(line).split('\n')) measured.addLine(one)
      return true
    })
    onTestFinished(() => write.mockRestore())
    writeLine({ level: 'info', endpoint: 'getUser' }, outcomeOf(200, 3))
    writeLine({ level: 'info', endpoint: 'getUser', error_code: 'USER_NOT_FOUND' }, outcomeOf(404, 9))
    writeLine({ level: 'info', endpoint: 'purge' })
    measured.addLine('{ no JSON')
    now += STEP * 1000
    writeLine({ level: 'info', endpoint: 'getUser' }, outcomeOf(200, 5))
    const lineOf = (title: string, label: string) =>
      measured
        .shown()
        .charts.find((chart) => chart.title === title)
        ?.lines.find((line) => line.label === label)
        ?.values.slice(-3)
    expect(lineOf('Calls', 'all')).toEqual([0, 2, 1])
    expect(lineOf('Calls', '4xx')).toEqual([0, 1, 0])
    expect(lineOf('Errors', 'USER_NOT_FOUND')).toEqual([0, 1, 0])
    expect(lineOf('Latency', 'p50')).toEqual([null, 3, 5])
    expect(lineOf('Latency', 'p99')).toEqual([null, 9, 5])
    now += 90 * STEP * 1000
    expect(lineOf('Calls', 'all')).toEqual([0, 0, 0])
  })

  test('is every chart of the dashboard', () => {
    const { charts: shown } = measuredForAWhile().shown()
    expect(shown.map(({ title }) => title)).toEqual(charts.map(({ title }) => title))
    for (const { title, lines } of shown)
      expect(
        lines.some(({ values }) => values.some((value) => (value ?? 0) > 0)),
        title,
      ).toBe(true)
  })
})

describe('the page', () => {
  afterEach(() => {
    delete process.env[STATUS_SOURCE]
  })

  test('loads nothing from elsewhere, and has values while they are collected', async () => {
    const { body = '' } = await ask()
    expect([...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url)).toEqual(['data:,', '/status/show.js'])
    expect((await ask('values.json')).statusCode).toBe(404)
    expect((await ask('page.ts')).statusCode).toBe(404)
    const status = await startStatus()
    onTestFinished(status.stop)
    status.measured.add({ Requests: 1 })
    process.env[STATUS_SOURCE] = status.source
    const shown = JSON.parse((await ask('values.json')).body ?? '')
    // Not always in the last step: that may have just begun.
    expect(shown.charts[0].lines[0].values).toContain(1)
  })

  /** The page's document after a browser has run its script. */
  async function rendered(values: string) {
    const { address, stop } = await servePages(async ({ url }, response) => {
      const [, , file] = url?.split('/') ?? []
      const {
        statusCode = 404,
        headers,
        body,
      } = file === 'values.json' ? { statusCode: 200, body: values } : await ask(file)
      response.writeHead(statusCode, headers as Record<string, string> | undefined).end(body)
    })
    onTestFinished(() => void stop())
    return inPage(`${address}/status`, async (page) => {
      await page.locator('figure path').first().waitFor({ state: 'attached' })
      return parseDocument(await page.content())
    })
  }

  test.skipIf(!hasBrowser)(`draws every line in a browser${leftOut}`, async () => {
    const shown = measuredForAWhile().shown()
    const document = await rendered(JSON.stringify(shown))
    const all = (tag: string, within: Parameters<typeof DomUtils.getElementsByTagName>[1] = document) =>
      DomUtils.getElementsByTagName(tag, within)
    const figures = all('figure')
    expect(figures.map((figure) => all('svg', figure)[0]?.attribs['aria-label'])).toEqual(
      charts.map(({ title }) => title),
    )
    for (const [n, { title, lines }] of shown.charts.entries()) {
      const [figure] = figures.slice(n)
      const paths = all('path', figure).map(({ attribs }) => attribs)
      expect(new Set(paths.map(({ stroke }) => stroke)).size, `${title}: a colour for each line`).toBe(lines.length)
      for (const [line, { values }] of lines.entries()) {
        const points = [...(paths[line]?.d ?? '').matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [
          Number(x),
          Number(y),
        ])
        const present = values.filter((value) => value !== null)
        expect(points.length, `${title}: a point for each value`).toBe(present.length)
        // The plot in show.js goes from 44 to 352 and, upwards, from 120 to 8.
        for (const [x = Number.NaN, y = Number.NaN] of points) {
          expect(x >= 44 && x <= 352 && y >= 8 && y <= 120, `${title}: ${x} ${y} is in the plot`).toBe(true)
        }
        const highest = Math.max(...present)
        const tops = points.filter((_, at) => present[at] === highest).map(([, y]) => y)
        expect(Math.min(...points.map(([, y]) => y ?? 0)), `${title}: the highest value is on top`).toBe(tops[0])
      }
    }
    expect(DomUtils.textContent(all('p'))).toMatch(/^The last quarter of an hour, up to \d\d:\d\d$/)
  })
})
