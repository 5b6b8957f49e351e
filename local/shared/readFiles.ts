import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { LineFile } from '../../domain/import/lineFile.ts'

/** The content of a JSON file. Throws one line that begins with `name`, the user's name for the file. */
export async function readJson(path: string, name = path): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(unreadable(name))
  try {
    // Some editors write a byte order mark first.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message.replaceAll('\n', ' ')}`)
  }
}

/** A file of lines, read as a stream. */
export async function linesIn(path: string, name: string): Promise<LineFile> {
  const { size } = await stat(path).catch(unreadable(name))
  return { size, read: (start) => createReadStream(path, { start, highWaterMark: READ_AT_ONCE }) }
}

const READ_AT_ONCE = 1_000_000

const unreadable =
  (name: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new Error(
      error.code === 'ENOENT' ? `${name}: there is no such file.` : `${name} cannot be read: ${error.message}`,
    )
  }
