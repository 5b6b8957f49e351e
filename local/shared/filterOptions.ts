/** What `NAME=VALUE` may name: fields with one value, fields with several, and whether attributes. */
type Filters = { one: readonly string[]; several: readonly string[] }

type Entry = [name: string, value: string | string[]]

/**
 * The filters that a command was given, as the API takes them: `status=ACTIVE,LOCKED`, `attribute:department=Sales`. Throws one line
 * that begins with `option`, also about a blank value, as it must not mean everybody.
 */
export function filtersIn(option: string, texts: readonly string[], filters: Filters): Record<string, Entry[1]> {
  const entries = texts.flatMap((text) => entriesOf(option, text, filters))
  const names = entries.map(([name]) => name)
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice) throw new Error(`${option} names ${twice} twice.`)
  return Object.fromEntries(entries)
}

function entriesOf(option: string, text: string, { one, several }: Filters): Entry[] {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (value.trim() === '') throw new Error(`${option} ${text}: give NAME=VALUE, with a value.`)
  if (several.includes(name)) return [[name, value.split(',')]]
  if (one.includes(name)) return [[name, value]]
  const [, attribute] = /^attribute:(.+)$/s.exec(name) ?? []
  if (attribute === undefined)
    throw new Error(`${option} ${text}: use one of ${[...several, ...one, 'attribute:NAME'].join(', ')}.`)
  return [
    ['attribute_technical_name', attribute],
    ['attribute_value', value],
  ]
}
