const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** A hash of 32 bits: FNV-1a, which is quick. Each `seed` gives another one. */
export function hash32(text: string, seed = 0): number {
  let hash = OFFSET + seed
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), PRIME)
  return hash >>> 0
}
