import { expect, test } from 'vitest'
import { furtherOrigins, isAllowed } from '../../local/start/origins.ts'

test.each([
  [undefined, []],
  ['', []],
  ['https://app.test', ['https://app.test']],
  [' https://app.test , http://other.test:8080,', ['https://app.test', 'http://other.test:8080']],
])('CORS_ORIGINS=%s names %j', (CORS_ORIGINS, origins) => {
  const env = CORS_ORIGINS === undefined ? {} : { CORS_ORIGINS }
  expect(furtherOrigins(env)).toEqual(origins)
  for (const origin of origins) expect(isAllowed(origin, furtherOrigins(env))).toBe(true)
})

test.each(['app.test', 'https://app.test/', 'https://app.test/page', '*', 'https://*.app.test:x'])(
  'CORS_ORIGINS=%s is refused with what it must be',
  (CORS_ORIGINS) => {
    expect(() => furtherOrigins({ CORS_ORIGINS })).toThrow(`CORS_ORIGINS: ${CORS_ORIGINS} is no origin`)
  },
)

test.each(['http://app.test', 'https://app.test:444', 'https://app.test.evil.test', 'null', ''])(
  'https://app.test does not let %s in',
  (origin) => {
    expect(isAllowed(origin, ['https://app.test'])).toBe(false)
  },
)
