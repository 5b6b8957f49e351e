import { fileURLToPath } from 'node:url'

/** The folder of the project. Ends with a slash. */
export const root = fileURLToPath(new URL('../../', import.meta.url))
