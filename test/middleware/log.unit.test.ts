import { describe, expect, it, vi } from 'vitest'
import { measuresOf, outcomeOf } from '../../handlers/middleware/log.ts'

// A log line, and what CloudWatch makes of it (Embedded Metric Format).

// biome-ignore lint/suspicious/noExplicitAny: lines have any form
type Any = any

type Write = typeof import('../../handlers/middleware/log.ts').writeLine

/** The lines that a function writes which has just started on AWS. */
async function written(write: (writeLine: Write) => void): Promise<Any[]> {
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Rollcall')
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'rollcall-test')
  vi.resetModules()
  const { writeLine } = await import('../../handlers/middleware/log.ts')
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  try {
    write(writeLine)
    return spy.mock.calls.map(([text]) => {
      expect(String(text)).toMatch(/^\{[^\n]*\}\n$/)
      return JSON.parse(String(text))
    })
  } finally {
    spy.mockRestore()
    vi.unstubAllEnvs()
  }
}
const stats = {
  underway: new Set<never>(),
  lost: { ms: 0, until: 0 },
  requests: 2,
  waves: 1,
  throttles: 0,
  readUnits: 1.5,
  writeUnits: 0,
  notedWork: 0,
}

describe('a line', () => {
  it('without measures is no record of metrics', async () => {
    expect(await written((writeLine) => writeLine({ level: 'info', endpoint: 'purge' }))).toEqual([
      { timestamp: expect.stringMatching(/^\d{4}-.*Z$/), level: 'info', endpoint: 'purge' },
    ])
  })

  it('with measures is both: every metric that it declares has a value and a unit', async () => {
    const measures = { ...outcomeOf(404, 3.2), ...measuresOf(stats) }
    const error = { level: 'info', endpoint: 'getUser', status: 404, error_code: 'USER_NOT_FOUND' }
    const [first, second] = await written((writeLine) => {
      writeLine(error, measures)
      writeLine({ level: 'info', endpoint: 'getUser', status: 200 }, outcomeOf(200, 1))
    })
    expect(first).toMatchObject({ ...error, service: 'rollcall-test', Requests: 1, ClientErrors: 1, Latency: 3.2 })
    expect(first).toMatchObject({ DatabaseRequests: 2, DatabaseRounds: 1, ReadUnits: 1.5, Errors: 1 })
    for (const line of [first, second])
      for (const { Namespace, Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
        expect(Namespace).toBe('Rollcall')
        for (const name of Dimensions.flat()) expect(line[name]).toEqual(expect.any(String))
        for (const { Name, Unit } of Metrics)
          expect([Unit, typeof line[Name]]).toEqual([expect.stringMatching(/^Count$|seconds$/i), 'number'])
      }
    const dimensions = (line: Any) => line._aws.CloudWatchMetrics.map((one: Any) => one.Dimensions)
    // Each combination of values is a metric that is paid for: so the endpoint is not a dimension.
    expect(dimensions(first)).toEqual([[['service']], [['service', 'error_code']]])
    expect(dimensions(second)).toEqual([[['service']]])
    expect(second.Errors).toBeUndefined()
  })
})
