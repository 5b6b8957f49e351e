// The page /status while `npm start` runs: the charts of the dashboard on AWS, from the metrics of this machine.
import { readFile } from 'node:fs/promises'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

/** The variable with the address of the page's values, which `npm start` collects. */
export const STATUS_SOURCE = 'STATUS_SOURCE'

/** Answers /status with the page, and /status/{file} with its script and its values. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const name = event.pathParameters?.file
  if (name === undefined) return answer('text/html', page)
  if (name === 'show.js') return answer('text/javascript', await readFile('local/start/status/show.js', 'utf8'))
  const source = process.env[STATUS_SOURCE]
  if (name !== 'values.json' || !source) return { statusCode: 404 }
  return answer('application/json', await (await fetch(source)).text())
}

const answer = (type: string, body: string) => ({
  statusCode: 200,
  headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' },
  body,
})

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Rollcall status</title>
    <link rel="icon" href="data:,">
    <style>
      body { margin: 1.5rem; font: 14px/1.4 system-ui, sans-serif; color: #222; background: #f4f4f4 }
      h1 { margin: 0; font-size: 1.3rem }
      p { margin: .2rem 0 1rem; color: #555 }
      main { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1rem }
      figure { margin: 0; padding: .8rem; background: #fff; border: 1px solid #ddd; border-radius: 4px }
      figcaption { font-weight: 600 }
      figcaption small { font-weight: 400; color: #555 }
      svg { display: block; width: 100%; height: 9rem; margin: .4rem 0 }
      text { font-size: 11px; fill: #666 }
      ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0; padding: 0; list-style: none }
      li { display: flex; align-items: center; gap: .35rem; font-size: 12px }
      li i { width: .8rem; height: .2rem }
    </style>
  </head>
  <body>
    <h1>Rollcall</h1>
    <p id="state">Loading …</p>
    <main id="charts"></main>
    <script type="module" src="/status/show.js"></script>
  </body>
</html>
`
