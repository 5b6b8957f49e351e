// Turns the JSON log of the functions into readable lines.

type Logged = {
  level?: string
  request_id?: string
  endpoint?: string
  status?: number
  ms?: number
  error_code?: string
  fault?: string
  stack?: string[]
  /** What a scheduled run counted. */
  [count: string]: unknown
}

/**
 * A line of output as `npm start` shows it: a log line in a short form, any other unchanged. Undefined for an empty line, and
 * for a scheduled run that had nothing to do.
 */
export const readable = (line: string): string[] => {
  const logged = parsed(line)
  if (!logged) return line.trim() ? [line] : []
  const { endpoint, stack = [], ...others } = logged
  if (endpoint === undefined) return [line]
  const fields: Logged = Object.fromEntries(Object.entries(others).filter(([name]) => !forMachines.test(name)))
  const isIdle = fields.status === undefined && fields.level === 'info' && !Object.values(fields).some(isWork)
  return isIdle ? [] : [`${clock()}  ${gist(endpoint, fields)}`, ...stack.map((frame) => `            ${frame}`)]
}

/** The members for CloudWatch's metrics, and those of every line. */
const forMachines = /^[A-Z_]|^timestamp$|^service$/

const isWork = (value: unknown) => value === true || (typeof value === 'number' && value > 0)

const parsed = (line: string): Logged | undefined => {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const clock = () => new Date().toTimeString().slice(0, 8)

const gist = (endpoint: string, { level, request_id, status, error_code, fault, ms, ...others }: Logged) => {
  const further = Object.entries(others).map(([name, value]) => `${name} ${value}`)
  const parts = [status, endpoint, error_code, fault, ...further, ms === undefined ? undefined : `${ms} ms`]
  return parts.filter((part) => part !== undefined).join('  ')
}
