// The part of the library that reads HTML; its own types only speak of the whole.
declare module 'xss/lib/parser.js' {
  const parser: {
    parseTag(
      html: string,
      onTag: (from: number, to: number, tag: string, part: string, isClosing: boolean) => string,
      onText: (text: string) => string,
    ): string
    parseAttr(html: string, onAttribute: (name: string, value: string) => string): string
  }
  export default parser
}
