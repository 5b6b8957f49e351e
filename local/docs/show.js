// Runs in the browser. Shows the API with a token of the local service account, so that "Try it out" works at once. The
// button Authorize takes another token.
const client = { grant_type: 'client_credentials', client_id: 'service-account-admin', client_secret: 'local' }

const logIn = async (page, schemes) => {
  const discovery = `${document.body.dataset.issuer}/.well-known/openid-configuration`
  const { token_endpoint } = await (await fetch(discovery)).json()
  const answer = await (await fetch(token_endpoint, { method: 'POST', body: new URLSearchParams(client) })).json()
  for (const scheme of schemes) page.preauthorizeApiKey(scheme, answer.access_token)
}

const show = async () => {
  const spec = await (await fetch('/docs/openapi.json')).json()
  const page = SwaggerUIBundle({
    dom_id: '#page',
    // Requests go to the server of this page instead of those in the document.
    spec: { ...spec, servers: [{ url: window.location.origin }] },
    docExpansion: 'list',
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => logIn(page, Object.keys(spec.components?.securitySchemes ?? {})),
  })
}

show()
