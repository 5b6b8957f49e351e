// The package's parser of Accept-Language, which has no types. Imported by itself: bundles need no other.
declare module 'negotiator/lib/language.js' {
  export default function preferredLanguages(header: string): string[]
}
