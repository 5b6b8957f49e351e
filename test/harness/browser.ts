import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A real browser, if there is one. It is not among the packages: Debian's is `apt-get install chromium`. */
export const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync)

/** What the title of a test says that needs a browser. */
export const leftOut = chromium ? '' : ': LEFT OUT, no chromium here'

/** Serves pages of this machine. */
export async function servePages(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.close().closeAllConnections(),
  }
}

/**
 * Opens a page and answers what its script has left in the title as JSON. The script has 20 seconds, in which the time that it only
 * waits does not count. `hosts`: names and where they lead instead, such as `app.test 127.0.0.1:8080`.
 */
export async function titleOf(url: string, hosts: readonly string[] = []): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  try {
    const { stdout } = await promisify(execFile)(
      chromium ?? '',
      [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
        ...hosts.map((host) => `--host-resolver-rules=MAP ${host}`),
        ...[`--user-data-dir=${folder}`, '--virtual-time-budget=20000', '--dump-dom', url],
      ],
      { maxBuffer: 64 * 1024 * 1024 },
    )
    const [, title = ''] = /<title>(.*?)<\/title>/.exec(stdout) ?? []
    return JSON.parse(title.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
