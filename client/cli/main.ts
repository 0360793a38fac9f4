// `strongroom-client`: the commands of `strongroom client`, as the package brings them.
import tls from 'node:tls'
import packageJson from '../package.json' with { type: 'json' }
import { clientCommand } from './command.ts'
import { exitCodes } from './exit.ts'

if (typeof tls.setDefaultCACertificates === 'function') {
  await clientCommand('strongroom-client')
    .version(packageJson.version, '--version', 'print the version')
    .parseAsync()
    .catch((thrown: Error) => {
      process.stderr.write(`${thrown.message}\n`)
      process.exit(exitCodes.refused)
    })
} else {
  const { node } = packageJson.engines
  process.stderr.write(`strongroom-client needs Node ${node}, not ${process.versions.node}.\n`)
  process.exitCode = exitCodes.usage
}
