// Node's HTTP without its fetch, which the service does not use: an `import` of `node:http` reads
// each of its exports, and loads fetch for one of them.
export const {
  createServer: createHttpServer,
  request: sendRequest,
  STATUS_CODES: reasonPhrases,
} = process.getBuiltinModule('node:http')
