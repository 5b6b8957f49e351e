// The API page at /docs while `npm start` runs: Swagger UI and the documents that describe the API, from this machine alone.
import { readFile } from 'node:fs/promises'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

const userInterface = 'node_modules/swagger-ui-dist'

// Paths from the project's folder, where `serverless offline` runs.
const files: Record<string, { type: string; path: string; binary?: boolean }> = {
  'swagger-ui.css': { type: 'text/css', path: `${userInterface}/swagger-ui.css` },
  'swagger-ui-bundle.js': { type: 'text/javascript', path: `${userInterface}/swagger-ui-bundle.js` },
  'favicon-32x32.png': { type: 'image/png', path: `${userInterface}/favicon-32x32.png`, binary: true },
  'openapi.json': { type: 'application/json', path: 'schemas/openapi.json' },
  'asyncapi.json': { type: 'application/json', path: 'schemas/asyncapi.json' },
  'show.js': { type: 'text/javascript', path: 'local/start/apiPage/show.js' },
}

/** Answers /docs with the page, and /docs/{file} with its files. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const name = event.pathParameters?.file
  if (name === undefined) return answer('text/html', page(process.env.TOKEN_ISSUER ?? ''))
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (!file) return { statusCode: 404 }
  const content = await readFile(file.path)
  return file.binary
    ? { ...answer(file.type, content.toString('base64')), isBase64Encoded: true }
    : answer(file.type, content.toString('utf8'))
}

const answer = (type: string, body: string) => ({
  statusCode: 200,
  headers: { 'content-type': type.startsWith('image/') ? type : `${type}; charset=utf-8`, 'cache-control': 'no-cache' },
  body,
})

const page = (issuer: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Rollcall API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <style>
      .swagger-ui .info { margin: 1.5rem 0 1rem }
      .swagger-ui .scheme-container { padding: 1rem 0; margin: 0 0 1rem; box-shadow: none }
      .swagger-ui .scheme-container .schemes > .schemes-server-container { display: none }
      .swagger-ui .tokens { display: flex; flex-wrap: wrap; gap: .5rem }
      .swagger-ui .local-token { color: inherit; border-color: currentcolor }
      .swagger-ui input.find { display: block; width: calc(100% - 40px); max-width: 1420px; margin: 0 auto }
      .swagger-ui summary { cursor: pointer }
      .swagger-ui .introduction { max-width: 60rem; margin: 0 }
      .swagger-ui .introduction h1 { font-size: 1.4rem }
      .swagger-ui .nothing { text-align: center }
      .swagger-ui .introduction :is(table, pre), .swagger-ui .opblock-body { overflow-x: auto }
      .swagger-ui .introduction table { display: block }
      @media (max-width: 640px) {
        .swagger-ui .opblock .opblock-summary-operation-id, .swagger-ui .opblock-tag small { display: none }
        .swagger-ui .parameters-col_name, .swagger-ui .parameters-col_description { display: block; width: auto }
      }
    </style>
  </head>
  <body data-issuer="${issuer}">
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/show.js"></script>
  </body>
</html>
`
