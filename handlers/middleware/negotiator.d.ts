// The parsers that we use of the package, which has no types. Each is imported by itself: bundles need no other.
declare module 'negotiator/lib/encoding.js' {
  /** Those of the encodings `offered` that an Accept-Encoding header accepts, best first; of those it likes the same, as `preferred`. */
  export default function preferredEncodings(
    header: string | undefined,
    offered: string[],
    preferred?: string[],
  ): string[]
}
declare module 'negotiator/lib/language.js' {
  export default function preferredLanguages(header: string): string[]
}
