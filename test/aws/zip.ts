import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

/** The files in a zip archive and their contents. */
export function unzip(path: string): Record<string, Buffer> {
  const zip = readFileSync(path)
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'))
  const files: Record<string, Buffer> = {}
  for (let at = zip.readUInt32LE(end + 16); zip.toString('latin1', at, at + 4) === 'PK\x01\x02'; ) {
    const [packed, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const header = zip.readUInt32LE(at + 42)
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
    const data = zip.subarray(start, start + packed)
    files[name] = zip.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data)
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return files
}
