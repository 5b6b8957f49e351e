// Runs in the browser: Swagger UI, with a box that finds operations, a button that gets a local token, and the
// introduction folded away.
const account = { grant_type: 'client_credentials', client_id: 'service-account-admin', client_secret: 'local' }

/** Whether an operation's path, method, name, summary or tag has every word of the phrase. */
const matches = (tag, operation, phrase) => {
  const about = [tag, ...['path', 'method'].map((key) => operation.get(key))]
  const names = ['operationId', 'summary'].map((key) => operation.getIn(['operation', key], ''))
  const text = [...about, ...names].join(' ').toLowerCase()
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const filtering = (system) => {
  const { createElement } = system.React
  const phrase = () => {
    // Swagger UI's filter is `true` until something is typed.
    const filter = system.layoutSelectors.currentFilter()
    return typeof filter === 'string' && filter !== 'true' ? filter.trim() : ''
  }
  const Box = () =>
    createElement('input', {
      className: 'find',
      type: 'search',
      placeholder: 'Find an operation by path, name or tag',
      'aria-label': 'Find an operation by path, name or tag',
      value: phrase() && system.layoutSelectors.currentFilter(),
      onChange: (event) => system.layoutActions.updateFilter(event.target.value || true),
    })
  return {
    fn: {
      opsFilter: (tagged) =>
        tagged
          .map((group, tag) =>
            group.update('operations', (all) => all.filter((operation) => matches(tag, operation, phrase()))),
          )
          .filter((group) => group.get('operations').size > 0),
    },
    components: { FilterContainer: Box },
    wrapComponents: {
      operations: (Operations) => (props) =>
        system.specSelectors.taggedOperations().size > 0
          ? createElement(Operations, props)
          : createElement('p', { className: 'nothing' }, 'No operation matches.'),
    },
    statePlugins: {
      layout: {
        wrapSelectors: {
          // Matches are shown even if their tag is closed.
          isShown: (isShown) => (_state, thing, byDefault) =>
            (thing[0] === 'operations-tag' && phrase() !== '') || isShown(thing, byDefault),
        },
      },
    },
  }
}

const folding = ({ React: { createElement }, getComponent }) => ({
  wrapComponents: {
    InfoContainer: (Info) => (props) => {
      const Markdown = getComponent('Markdown', true)
      return createElement(
        'div',
        null,
        createElement(Info, props),
        createElement(
          'details',
          { className: 'wrapper introduction' },
          createElement('summary', null, 'How the API works: tokens, lists, patches, batches, errors, safe repetition'),
          createElement(Markdown, { source: introduction }),
        ),
      )
    },
  },
})

const loggingIn = ({ React: { createElement, useState }, authActions, specSelectors }) => ({
  wrapComponents: {
    authorizeBtn: (Button) => (props) => {
      const [state, setState] = useState('Use a local token')
      const logIn = async () => {
        try {
          const value = await localToken()
          const schemes = specSelectors.securityDefinitions().toJS()
          authActions.authorize(
            Object.fromEntries(Object.entries(schemes).map(([name, schema]) => [name, { name, schema, value }])),
          )
          setState(`Authorised as ${account.client_id}`)
        } catch (error) {
          setState(`No token: ${error.message}`)
        }
      }
      const button = createElement('button', { className: 'btn local-token', onClick: logIn }, state)
      return createElement('div', { className: 'tokens' }, button, createElement(Button, props))
    },
  },
})

const localToken = async () => {
  const discovery = `${document.body.dataset.issuer}/.well-known/openid-configuration`
  const { token_endpoint } = await (await fetch(discovery)).json()
  const answer = await (await fetch(token_endpoint, { method: 'POST', body: new URLSearchParams(account) })).json()
  if (!answer.access_token) throw new Error(answer.error_description)
  return answer.access_token
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const spec = await (await fetch('/docs/openapi.json')).json()
const [summary, introduction] = spec.info.description.split(/\n(?=# )(.*)/s)

SwaggerUIBundle({
  dom_id: '#page',
  // Requests go to the server of this page instead of those in the document.
  spec: { ...spec, info: { ...spec.info, description: summary }, servers: [{ url: window.location.origin }] },
  plugins: [filtering, folding, loggingIn],
  docExpansion: 'none',
  deepLinking: true,
  filter: true,
  displayOperationId: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
