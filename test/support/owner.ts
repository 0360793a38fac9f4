// The database as commands of its owner use it.
import { longReadMs } from '../../src/cli/database.ts'
import {
  type Address,
  openDatabase,
  type ServiceDatabase,
} from '../../src/database/connections/connect.ts'

/** As `withOwner` opens it for a command: a long read is not cut off as that of a request. */
export const openAsOwner = (address: Address): ServiceDatabase =>
  openDatabase(address, { role: null, readMs: longReadMs })
