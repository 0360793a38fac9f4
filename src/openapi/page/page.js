// The script of /docs, for browsers: shows the reference, logs in and out, and sends the token with
// the calls made from the page. The token stays in the memory of the page; nothing is stored.
const login = document.querySelector('#login')
const logout = document.querySelector('#logout')
const message = document.querySelector('#message')
const loginPath = '/api/v1/auth/login'
const logoutPath = '/api/v1/auth/logout'
const refreshPath = '/api/v1/auth/refresh'

let token

const ui = globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  layout: 'BaseLayout',
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // The validator would be another origin.
  validatorUrl: null,
  responseInterceptor: followSession,
})

/** A login, refresh or logout in the reference has the same effect as one by the form. */
function followSession(response) {
  const path = new URL(response.url, location.href).pathname
  if (response.status === 200 && (path === loginPath || path === refreshPath)) {
    const answer = JSON.parse(response.text)
    begin(answer.token, answer.user?.username)
  } else if (response.status === 204 && path === logoutPath) {
    end('You have logged out.')
  } else if (response.status === 401 && token !== undefined && path !== loginPath) {
    end('Your session has ended. Log in again.')
  }
  return response
}

function begin(newToken, username) {
  token = newToken
  ui.preauthorizeApiKey('bearer', token)
  login.hidden = true
  logout.hidden = false
  if (username !== undefined) message.textContent = `You are logged in as ${username}.`
}

function end(reason) {
  token = undefined
  ui.authActions.logout(['bearer'])
  login.hidden = false
  logout.hidden = true
  message.textContent = reason
}

const call = (path, headers, body) => fetch(path, { method: 'POST', headers, body })

async function logIn() {
  const { username, password } = Object.fromEntries(new FormData(login))
  const body = JSON.stringify({ username, password, device: 'API reference' })
  const response = await call(loginPath, { 'content-type': 'application/json' }, body)
  const answer = await response.json()
  if (response.ok) {
    login.reset()
    begin(answer.token, answer.user.username)
  } else {
    const wait = response.headers.get('retry-after')
    message.textContent = answer.message + (wait === null ? '' : ` (${wait} s)`)
  }
}

async function logOut() {
  const response = await call(logoutPath, { authorization: `Bearer ${token}` })
  // 401: the session had ended already.
  if (response.status === 204 || response.status === 401) end('You have logged out.')
  else message.textContent = (await response.json()).message
}

for (const [form, submit] of [
  [login, logIn],
  [logout, logOut],
]) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit().catch(() => (message.textContent = 'The service cannot be reached.'))
  })
}
