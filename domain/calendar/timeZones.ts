/**
 * The areas that names of time zones begin with, and the names without an area. Intl also accepts offsets and old
 * abbreviations (`IST`, `PST`): those are not in the IANA database, and stand for different zones in different countries.
 */
const areas =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\//i
const alone = new Set(
  [
    'UTC UCT Universal Zulu GMT GMT0 GMT+0 GMT-0 Greenwich EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT WET CET MET EET',
    'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya Navajo NZ NZ-CHAT Poland',
    'Portugal PRC ROC ROK Singapore Turkey W-SU',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
)

/**
 * The name of a time zone in its usual case; undefined for an unknown zone. A zone with several names keeps the one that
 * was sent: which of them is the main one changes over the years.
 */
export function timeZoneNamed(name: string): string | undefined {
  if (!areas.test(name) && !alone.has(name.toLowerCase())) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  } catch {
    return undefined
  }
}
