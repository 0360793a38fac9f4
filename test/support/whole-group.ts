// The first module of a process that runs several test files. Its exit says so when some of their
// tests never ran: something ended the process with code 0.
import { after } from 'node:test'

let isOver = false
after(() => {
  isOver = true
})
process.once('exit', () => {
  if (!isOver) process.exitCode = 1
})
