import { readFileSync } from 'node:fs'
import { type ErrorCode, errors } from '../../schemas/errors.ts'

/** The texts of a code in schemas/reference/errors.md. */
type ErrorText = { when: string; what: string; property?: string; message?: string }

const file = new URL('../../schemas/reference/errors.md', import.meta.url)

/** The texts of all codes. Throws if one is missing, unknown or duplicate. */
export function errorTexts(text: string = readFileSync(file, 'utf8')): Record<ErrorCode, ErrorText> {
  const rows = text.split('\n').filter((line) => /^\| [A-Z_]+ /.test(line))
  const texts = rows.map((row) => {
    const [code = '', when = '', what = '', example = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    const [, property, message] = /^`([^`]+)` ?(.*)$/.exec(example) ?? []
    return [code, { when, what, ...(property ? { property } : {}), ...(message ? { message } : {}) }] as const
  })
  const codes = texts.map(([code]) => code)
  const faults = [
    ...Object.keys(errors).filter((code) => !codes.includes(code)),
    ...codes.filter((code, n) => !Object.hasOwn(errors, code) || codes.indexOf(code) !== n),
  ]
  if (faults.length > 0) throw new Error(`schemas/reference/errors.md does not have these once: ${faults.join(', ')}`)
  return Object.fromEntries(texts) as Record<ErrorCode, ErrorText>
}
