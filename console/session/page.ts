/** What the session uses of the browser. */
export type Page = {
  location: { origin: string; pathname: string; search: string; assign: (address: string) => void }
  history: { replaceState: (state: null, unused: '', address: string) => void }
  sessionStorage: Storage
  open: (address: string, name: string, features: string) => Window | null
  close: () => void
}
/** What is used of a tab's storage. */
export type Storage = {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}
type Window = {
  opener: unknown
  readonly closed: boolean
  location: { replace: (address: string) => void }
}
