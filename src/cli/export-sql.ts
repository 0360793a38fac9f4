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
  // One that ended with all others of its user, or of the bank, has no time of its own end.
  `select s.id, s.device, s.created_at, s.last_used_at, s.ended_at,
     coalesce(s.ended_because, case when c.id is null then 'revoked' end) as ended_because
   from sessions s left join current_sessions c on c.id = s.id
   where s.user_id = $1 and s.id < $2 order by s.id desc limit $3`,
)

/** Known devices of a person, newest first; of their tokens nothing. */
export const listDevices = statement(
  'export_list_devices',
  ['uuid', 'uuid', 'int8'],
  { id: 'uuid', created_at: 'timestamptz' },
  `select id, created_at from devices where user_id = $1 and id < $2 order by id desc limit $3`,
)
