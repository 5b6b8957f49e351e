import { readFile } from 'node:fs/promises'

/** What a JSON file holds. Faults are told in one line that begins with `name`, which is how the user knows the file. */
export async function readJson(path: string, name = path): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT' ? `${name}: there is no such file.` : `${name} cannot be read: ${error.message}`,
    )
  })
  try {
    // Some editors put a byte order mark before everything.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message.replaceAll('\n', ' ')}`)
  }
}
