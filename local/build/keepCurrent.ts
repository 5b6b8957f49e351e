import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** Writes a generated file, named from the project's folder, if it has changed. With --check it only says so, and fails. */
export async function keepCurrent(name: string, make: () => Promise<string>, command: string): Promise<void> {
  const file = new URL(name, root)
  const text = await make()
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return console.log(`${name} is current`)
  if (process.argv.includes('--check')) {
    console.error(`${name} is out of date: ${command}`)
    process.exitCode = 1
    return
  }
  writeFileSync(file, text)
  console.log(`${name} is written`)
}
