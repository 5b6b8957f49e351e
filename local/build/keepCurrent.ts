import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** Writes a generated file if it has changed; `name` is its path in the project. With --check it only reports that, and fails. */
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
