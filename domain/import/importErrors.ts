import { isStoreDown } from '../base/errors.ts'
import { linesOf } from './importSummary.ts'

// Why an import is refused, or ends before it is done.

/** The import could not begin or go on. What it has written stays; importing the same file again completes it. */
export class ImportStopped extends Error {
  override name = 'ImportStopped'
}

/** Says what to do where the database is busy or cannot be reached. */
export async function stopIfDown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!isStoreDown(cause)) throw cause
    throw new ImportStopped('The database is busy or cannot be reached: import the directory again to go on', { cause })
  }
}

/** One thing that is wrong with an import file. No values: files hold personal data, and faults are logged. */
export type ImportFault = { section: string; index: number | null; property: string; reason: string }

/** The file has faults. If they appeared only after the check, parts of it may be written already: they stay. */
export class ImportRefused extends Error {
  override name = 'ImportRefused'
  readonly faults: readonly ImportFault[]
  constructor(faults: readonly ImportFault[]) {
    super(
      [`The directory has ${counted(faults)}: it is not imported any further`, ...faultLines(faults, 20)].join('\n'),
    )
    this.faults = faults
  }
}

const counted = ({ length }: readonly unknown[]): string => (length === 1 ? 'a fault' : `${length} faults`)

/** One line for each of the first faults: `users[17].email: must be an e-mail address`. */
export const faultLines = (faults: readonly ImportFault[], most: number): string[] =>
  linesOf(faults.slice(0, most), faults.length, ({ property, reason }) => `${property && `.${property}`}: ${reason}`)
