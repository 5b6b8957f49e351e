/** What a browser is to do. */
export type ConsoleJob = { baseUrl: string; issuer: string; username: string; terms: string[]; pages: number }
/** What it saw: times in milliseconds. */
export type ConsoleSeen = {
  /** From the navigation until all is shown and can be used. */
  opened: { signedOut: number[]; home: number[]; people: number[] }
  /** From the last key until the results are shown, without the time of the answer itself. */
  searches: { term: string; shownAfter: number; answer: number; calls: number }[]
  /** Bytes of the heap, and nodes of the document, after so many pages. */
  memory: { pages: number; bytes: number; nodes: number }[]
}
