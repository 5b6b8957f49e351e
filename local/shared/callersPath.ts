import { resolve } from 'node:path'

/** npm runs scripts in the project's folder. INIT_CWD is the folder of the caller. */
export const callersPath = (file: string): string => resolve(process.env['INIT_CWD'] ?? '', file)
