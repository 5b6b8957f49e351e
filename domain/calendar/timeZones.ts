/**
 * What a time zone's name begins with, and the names that stand alone: Intl also knows offsets and abbreviations of old
 * (`IST`, `PST`), which are no names of the IANA database and mean different zones to different people.
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
 * The time zone of that name, undefined where there is none. A zone of several names keeps the one that was given:
 * which of them is the main one changes with the years. Only upper and lower case are put right, as far as known.
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
