import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { zipOf } from '../../local/build/zip.ts'
import { unzip } from './zip.ts'

test('a zip holds its file, readable for all, with the same checksum and sizes in both headers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zip-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const content = Buffer.from('exports.handler = () => "ünï"\n'.repeat(1000))
  const zip = zipOf('handlers/a.cjs', content)
  writeFileSync(join(folder, 'a.zip'), zip)
  expect(unzip(join(folder, 'a.zip'))).toEqual({ 'handlers/a.cjs': content })

  const directory = zip.readUInt32LE(zip.length - 6)
  expect([zip.readUInt32LE(14), zip.readUInt32LE(22)]).toEqual([crc32(content), content.length])
  // From the version on, both headers say the same.
  expect(zip.subarray(directory + 6, directory + 32)).toEqual(zip.subarray(4, 30))
  expect((zip.readUInt32LE(directory + 38) >>> 16).toString(8)).toBe('100644')
  expect(zip.readUInt32LE(zip.length - 10)).toBe(zip.length - 22 - directory)
  expect(zipOf('handlers/a.cjs', content)).toEqual(zip)
})
