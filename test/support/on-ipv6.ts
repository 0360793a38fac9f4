// Run on a host whose only address is ::1: starts the bank on the folder with its defaults, asks
// all that it serves, sends a webhook to `localhost`, and prints the statuses.
import http from 'node:http'
import { readFile } from 'node:fs/promises'
import https from 'node:https'
import { join } from 'node:path'
import { sendWebhook } from '../../src/features/webhooks/sender.ts'
import { run } from './program.ts'

const folder = process.argv[2] ?? ''
const bank = run([], { DATA_DIR: folder })
process.once('exit', () => bank.child.kill('SIGKILL'))
await bank.says(/Strongroom is ready/)

const status = (from: typeof http | typeof https, path: string, options: https.RequestOptions) =>
  new Promise<number>((resolve, reject) => {
    const request = from.get({ ...options, host: '::1', path }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    request.on('error', reject)
  })

const ca = await readFile(join(folder, 'tls/ca.pem'))
const ready = await status(https, '/readyz', { port: 8443, ca, servername: 'localhost' })
const redirect = await status(http, '/', { port: 8080 })
const metrics = await status(http, '/metrics', { port: 9464 })

const receiver = http.createServer((_, response) => response.writeHead(204).end())
await new Promise<void>((resolve) => receiver.listen(8000, '::1', resolve))
const target = 'http://localhost:8000/'
const webhook = await sendWebhook(target, { headers: {}, body: '{}' }, { isOpen: true })
receiver.close()

bank.child.kill('SIGTERM')
await bank.ended
process.stdout.write(
  `ready ${ready}, redirect ${redirect}, metrics ${metrics}, webhook ${webhook.status}\n`,
)
