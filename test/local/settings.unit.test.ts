import { describe, expect, test } from 'vitest'
import { readSettings } from '../../local/start/settings.ts'

describe('settings of npm start', () => {
  test('have defaults', () => {
    expect(readSettings({ PORT: '', DATA_DIR: '' })).toEqual({
      port: 3000,
      dynamodbPort: 8000,
      identityPort: 8080,
      engine: undefined,
      dynamodbEndpoint: undefined,
      tableName: 'rollcall',
      directoryFile: undefined,
      dataDir: undefined,
    })
  })

  test('come from the environment', () => {
    const env = {
      PORT: '3100',
      DYNAMODB_PORT: '8100',
      IDENTITY_PORT: '8180',
      ENGINE: 'dynoxide',
      DATA_DIR: 'data',
      DIRECTORY_FILE: 'a.json',
    }
    expect(readSettings({ ...env, DYNAMODB_ENDPOINT: 'http://db:8000', TABLE_NAME: 'other' })).toEqual({
      port: 3100,
      dynamodbPort: 8100,
      identityPort: 8180,
      engine: 'dynoxide',
      dynamodbEndpoint: 'http://db:8000',
      tableName: 'other',
      directoryFile: 'a.json',
      dataDir: 'data',
    })
  })

  test.each([
    [{ PORT: '8080' }, 'PORT and IDENTITY_PORT are both 8080'],
    [{ PORT: '3100', IDENTITY_PORT: '3100' }, 'PORT and IDENTITY_PORT are both 3100'],
    [{ DYNAMODB_PORT: '3000' }, 'PORT and DYNAMODB_PORT are both 3000'],
    [{ IDENTITY_PORT: '8000' }, 'IDENTITY_PORT and DYNAMODB_PORT are both 8000'],
  ])('refuse one port for two things: %j', (env, message) => {
    expect(() => readSettings(env)).toThrow(new Error(`${message}: use different ports.`))
  })

  test('do not mind the port of a database that is not started', () => {
    expect(readSettings({ DYNAMODB_ENDPOINT: 'http://db:8000', PORT: '8000' }).port).toBe(8000)
  })

  test('refuse an engine that does not exist', () => {
    expect(() => readSettings({ ENGINE: 'dynalite' })).toThrow(
      new Error('ENGINE=dynalite is unknown: use dynoxide or dynamodb-local.'),
    )
  })

  test.each(['abc', '0', '65536', '80.5', '-1'])('refuse the port %s and name its variable', (given) => {
    expect(() => readSettings({ IDENTITY_PORT: given })).toThrow(`IDENTITY_PORT=${given} is not a port`)
  })
})
