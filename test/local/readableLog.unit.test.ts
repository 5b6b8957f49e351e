import { describe, expect, test } from 'vitest'
import { readable } from '../../local/start/readableLog.ts'

const shown = (logged: object) => readable(JSON.stringify(logged))

describe('what the terminal shows', () => {
  test('a request in one short line', () => {
    const [line, ...more] = shown({ level: 'info', request_id: 'r', endpoint: 'getUser', status: 200, ms: 3.1 })
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}200 {2}getUser {2}3\.1 ms$/)
    expect(more).toEqual([])
  })

  test('a refused request with its code', () => {
    const logged = {
      level: 'info',
      request_id: 'r',
      endpoint: 'getUser',
      status: 404,
      error_code: 'USER_NOT_FOUND',
      ms: 2,
    }
    expect(shown(logged)[0]).toMatch(/404 {2}getUser {2}USER_NOT_FOUND {2}2 ms$/)
  })

  test('a fault of ours with where it happened', () => {
    const [line, ...frames] = shown({
      level: 'error',
      endpoint: 'getUser',
      status: 500,
      fault: 'TypeError',
      stack: ['at a', 'at b'],
    })
    expect(line).toMatch(/500 {2}getUser {2}TypeError$/)
    expect(frames.map((frame) => frame.trim())).toEqual(['at a', 'at b'])
  })

  test('a scheduled run that did something, and none that had nothing to do', () => {
    expect(shown({ level: 'info', endpoint: 'purge', purged: 0, failed: 0, left: false })).toEqual([])
    expect(shown({ level: 'info', endpoint: 'purge', purged: 2, failed: 0, left: false })[0]).toMatch(
      /purge {2}purged 2/,
    )
    expect(shown({ level: 'info', endpoint: 'purge', purged: 0, failed: 0, left: true })).toHaveLength(1)
    expect(shown({ level: 'error', endpoint: 'purge', fault: 'StoreBusy' })).toHaveLength(1)
  })

  test('anything else as it is, but no empty lines', () => {
    for (const line of ['Warning: something', '{ not json', '{"other":1}']) expect(readable(line)).toEqual([line])
    expect(readable('   ')).toEqual([])
  })
})
