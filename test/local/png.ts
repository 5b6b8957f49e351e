import { inflateSync } from 'node:zlib'

/** A picture: its size, and where pixels of a colour are. */
export type Picture = {
  width: number
  height: number
  placesOf: (red: number, green: number, blue: number) => [x: number, y: number][]
}

/** Reads a PNG of eight bits a channel, without interlacing: what browsers write. */
export function pixelsOf(file: Buffer): Picture {
  const [width, height, colourType] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25]]
  const channels = colourType === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  const data = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels)
  return {
    width,
    height,
    placesOf: (...colour) => {
      const places: [number, number][] = []
      for (let n = 0; n < width * height; n++)
        if (colour.every((value, channel) => data[n * channels + channel] === value))
          places.push([n % width, Math.floor(n / width)])
      return places
    },
  }
}

/** Each row says how its bytes were predicted from those on the left (a), above (b) and both (c). */
function unfiltered(raw: Buffer, rowLength: number, channels: number): Uint8Array {
  const rows = raw.length / (rowLength + 1)
  const out = new Uint8Array(rows * rowLength)
  for (let row = 0; row < rows; row++) {
    const kind = raw[row * (rowLength + 1)] ?? 0
    for (let n = 0; n < rowLength; n++) {
      const at = row * rowLength + n
      const a = n < channels ? 0 : (out[at - channels] ?? 0)
      const b = row === 0 ? 0 : (out[at - rowLength] ?? 0)
      const c = row === 0 || n < channels ? 0 : (out[at - rowLength - channels] ?? 0)
      out[at] = (raw[row * (rowLength + 1) + 1 + n] ?? 0) + predicted(kind, a, b, c)
    }
  }
  return out
}

function predicted(kind: number, a: number, b: number, c: number): number {
  if (kind < 3) return [0, a, b][kind] ?? 0
  if (kind === 3) return Math.floor((a + b) / 2)
  const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (toA <= toB && toA <= toC) return a
  return toB <= toC ? b : c
}
