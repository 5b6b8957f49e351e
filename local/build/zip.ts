import { crc32, deflateRawSync } from 'node:zlib'

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const MADE_ON_UNIX = 3 << 8
const DEFLATED = 8
/** 1 January 1980, the earliest date in an archive. */
const FIRST_DAY = 0x21
/** A regular file that all users may read: Lambda runs functions as another user. */
const READABLE = 0o100644

/**
 * An archive of one file. The same content always gives the same bytes, so that CloudFormation does not update an unchanged
 * function.
 */
export function zipOf(name: string, content: Uint8Array): Buffer {
  const packed = deflateRawSync(content, { level: 9 })
  const path = Buffer.from(name)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(VERSION, 0)
  common.writeUInt16LE(DEFLATED, 4)
  common.writeUInt16LE(FIRST_DAY, 8)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(path.length, 22)
  const file = Buffer.concat([number(LOCAL_HEADER), common, path, packed])

  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(READABLE * 0x10000, 6)
  const madeBy = Buffer.alloc(2)
  madeBy.writeUInt16LE(MADE_ON_UNIX | VERSION)
  const directory = Buffer.concat([number(CENTRAL_HEADER), madeBy, common, tail, path])

  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(file.length, 12)
  return Buffer.concat([file, directory, number(END), end])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
