import fc from 'fast-check'

const SURROGATES = 0x800

/** Any character, as `unit: 'binary'` draws it, which makes a list of all million characters first: 4 seconds per process. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + SURROGATES))
