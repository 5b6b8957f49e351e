// The built files of the console, as the function serves them.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { lazily } from '../../domain/base/memory.ts'

/** A file as it is, and compressed where the build has done that. */
export type BuiltFile = {
  /** Its content type. */
  type: string
  tag: string
  /** Whether its content never changes, as its name has a hash of it. */
  isFixed: boolean
  plain: Buffer
  packed: Partial<Record<Encoding, Buffer>>
}
export type Encoding = 'br' | 'gzip'
/** Finds a file by its name; undefined if there is none. */
export type FindFile = (name: string) => BuiltFile | undefined

const endings: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  // On the own machine only.
  '.map': 'application/json',
}

/**
 * The files of folders; a name that several have is that of the first. A name is looked up and never becomes a path. Files are read
 * when they are first asked for, and stay in memory.
 */
export function openFiles(folders: readonly string[]): FindFile {
  const found = new Map<string, () => BuiltFile>()
  for (const folder of folders)
    for (const name of namesIn(folder))
      if (extname(name) in types && !found.has(name))
        found.set(
          name,
          lazily(() => readBuilt(folder, name)),
        )
  return (name) => found.get(name)?.()
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Only an update brings files of the release before.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readBuilt(folder: string, name: string): BuiltFile {
  const plain = readFileSync(join(folder, name))
  const all = new Set(readdirSync(folder))
  const packed = Object.entries(endings)
    .filter(([, ending]) => all.has(name + ending))
    .map(([encoding, ending]) => [encoding, readFileSync(join(folder, name + ending))])
  return {
    type: types[extname(name)] ?? '',
    tag: tagOf(plain),
    isFixed: true,
    plain,
    packed: Object.fromEntries(packed),
  }
}

/** 96 bits. */
const TAG_LENGTH = 16

/** A weak tag: what is compressed is the same to who asks. */
export const tagOf = (content: string | Buffer): string =>
  `W/"${hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)}"`
