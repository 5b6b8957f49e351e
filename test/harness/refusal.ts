import { AppError, type Fault } from '../../domain/base/errors.ts'

/** The refusal of a rule, or undefined. */
export function refusal(judge: () => unknown): { code: string; property?: string; message: string } | undefined {
  try {
    judge()
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, property, message } = error
    return { code, message, ...(property === undefined ? {} : { property }) }
  }
}

/** The code of a refusal, and the property at fault. */
export const codeOf = (judge: () => unknown): string | undefined => {
  const { code, property } = refusal(judge) ?? {}
  return code && (property === undefined ? code : `${code} ${property}`)
}

/** Faults in one line each. */
export const faultLines = (faults: readonly Fault[]): string[] =>
  faults.map(({ property, message }) => `${property} ${message}`)
