import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { packageService } from '../aws/packageService.ts'

declare module 'vitest' {
  interface ProvidedContext {
    packages: string
  }
}

/**
 * Packages the service when the first test file asks for it (`packaged.ts`), and answers all others with the same package:
 * bundling all functions takes ten seconds of processor time.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const packages: ReturnType<typeof packageService>[] = []
  let current: ReturnType<typeof packageService> | undefined
  project.onTestsRerun(async () => {
    current = undefined
  })
  const make = () => {
    const made = packageService()
    packages.push(made)
    return made
  }
  const server = createServer(async (_request, response) => {
    current ??= make()
    await current.then(
      (made) => response.end(JSON.stringify(made)),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  project.provide('packages', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    for (const made of await Promise.allSettled(packages)) if (made.status === 'fulfilled') made.value.remove()
  }
}
