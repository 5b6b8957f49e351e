import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ByteRange, PlanFiles, StoredFile } from './storedFiles.ts'

/** The files of a plan in a folder of this machine. */
export function folderFiles(folder: string, plan: string): PlanFiles {
  const own = join(folder, plan)
  return {
    put: async (name, bytes) => {
      const path = join(own, name)
      // Under another name first: a file is there whole or not at all.
      const unfinished = join(own, 'unfinished', randomUUID())
      for (const one of [path, unfinished]) await mkdir(dirname(one), { recursive: true })
      await writeFile(unfinished, bytes)
      await rename(unfinished, path)
    },
    get: (name, part) => unlessMissing(() => read(join(own, name), part)),
    list: async (prefix) => {
      const entries = (await unlessMissing(() => readdir(own, { recursive: true, withFileTypes: true }))) ?? []
      const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      const names = paths.map((path) => path.slice(own.length + 1).replaceAll('\\', '/')).sort()
      return Promise.all(names.filter((name) => name.startsWith(prefix)).map((name) => described(own, name)))
    },
    remove: (name) => rm(join(own, name), { force: true }),
    removeAll: () => rm(own, { recursive: true, force: true }),
  }
}

async function described(folder: string, name: string): Promise<StoredFile> {
  const { size, mtimeMs, ino } = await stat(join(folder, name))
  return { name, bytes: size, version: `${ino}-${mtimeMs}` }
}

async function read(path: string, { from, to }: ByteRange = { from: 0 }): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.alloc(Math.max(0, Math.min(to ?? size, size) - from))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
