// The package's parser of Accept-Language; taken by itself, the bundles carry no other. The package has no types for it.
declare module 'negotiator/lib/language.js' {
  export default function preferredLanguages(header: string): string[]
}
