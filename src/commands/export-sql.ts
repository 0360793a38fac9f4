// What an export reads of a person that no page of the interface shows.
import { statement } from '../database/statement.ts'

export const findPerson = statement(
  'export_find_person',
  ['text'],
  { id: 'uuid' },
  'select id from users where id::text = $1 or username = $1',
)

/** All sessions of a person, ended ones too, newest first. */
export const listSessions = statement(
  'export_list_sessions',
  ['uuid', 'uuid', 'int8'],
  {
    id: 'uuid',
    device: 'text?',
    created_at: 'timestamptz',
    last_used_at: 'timestamptz',
    ended_at: 'timestamptz?',
    ended_because: 'text?',
  },
  `select id, device, created_at, last_used_at, ended_at, ended_because
   from sessions where user_id = $1 and id < $2 order by id desc limit $3`,
)

/** Known devices of a person, newest first; of their tokens nothing. */
export const listDevices = statement(
  'export_list_devices',
  ['uuid', 'uuid', 'int8'],
  { id: 'uuid', created_at: 'timestamptz' },
  `select id, created_at from devices where user_id = $1 and id < $2 order by id desc limit $3`,
)
