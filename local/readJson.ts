import { readFile } from 'node:fs/promises'

/** The content of a JSON file. Throws faults as one line that begins with `name`, the file as the user knows it. */
export async function readJson(path: string, name = path): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT' ? `${name}: there is no such file.` : `${name} cannot be read: ${error.message}`,
    )
  })
  try {
    // Some editors write a byte order mark first.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message.replaceAll('\n', ' ')}`)
  }
}
