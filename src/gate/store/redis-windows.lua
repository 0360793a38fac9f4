-- The exact sliding windows of several keys, decided atomically: the rule of src/gate/window.ts, for
-- instances that share a store. One call makes all decisions of one turn of an event loop, in order.
--
-- KEYS     one per window and identity, in the order of the plan
-- ARGV[1]  the time in microseconds; empty: the store's own clock
-- ARGV[2]  the deadline: after it nothing is charged, because the requests were answered already
-- ARGV[3]  the plan: per decision its verb, a small letter, and per key one character that names its
--          limit: the first one is '0', the next one the character behind it
--            t, p     take or peek
--            n        take, if the decision before was an admission
--            c, f, b  settle slots that were taken: counted, free again, or given back
-- ARGV[4]  the number of limits; then of each its quota, its window in microseconds, and 1 if its
--          slots are reserved
-- then per key that is settled: the time that was recorded
--
-- A value is a sequence of big-endian doubles, exact up to 2^52 microseconds: first the end of the
-- promised Retry-After, then the admissions, oldest first. A reserved slot is stored as its time plus
-- half a microsecond. Half a microsecond with the promise says that the key outlives its window by an
-- eighth, so that an append mostly need not move its end. What exceeds two pieces is cut: the value
-- keeps the oldest and the newest admissions and, in front of them, three numbers below zero; those
-- between lie in full pieces, each under a key of its own (the name, a colon, a number), which
-- expires by itself. So no call reads or writes more, however large a quota is. Release 0.2.0 takes
-- the three numbers for admissions long ago.
--
-- Returns { now } if no decision was made, else { now } and per decision its wait, then per key:
-- remaining, reset and, if the slot may be settled, the time that was recorded; only a wait of -1
-- for a decision that was not asked for. All in microseconds.

local given, deadline, plan, limit_count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local second = 1000000
local call, unpack_, pack, byte, sub = redis.call, struct.unpack, struct.pack, string.byte, string.sub
local max, min, ceil, floor = math.max, math.min, math.ceil, math.floor
-- As in window.ts: the longest wait due to reserved slots, and the life of an unsettled one.
local reserved_wait, reservation_max = second, 10 * second
-- Admissions in a piece, and its bytes: with what the store adds they fill 512. A byte that is read
-- costs 1 ns, as Lua hashes each string. A limit of up to twice as many is never cut.
local piece_count, piece_bytes = 63, 504
-- What a number in front of the admissions is stored less by: below every time.
local below = 2 ^ 52
local now = tonumber(given)
if not now then
  local clock = call('TIME')
  now = clock[1] * second + clock[2]
end

-- How a value is written: whole, whole without moving its end, or only what was added.
local whole, same_end, append = 1, 2, 3

local function raw(text, offset)
  return (unpack_('>d', text, offset))
end

-- The offset of the first admission later than `edge`, by binary search.
local function find_living(text, from, stop, edge)
  -- Times are whole, or reserved: half a microsecond more.
  local living = edge + 1
  local dead, last = 0, (stop - from) / 8
  while dead < last do
    -- Mostly it is one of the first.
    local middle = dead == 0 and 1 or ceil((dead + last) / 2)
    local time = unpack_('>d', text, from + middle * 8 - 8)
    if time < living then
      dead = middle
    else
      last = middle - 1
    end
  end
  return from + dead * 8
end

-- A value without admissions and without a promise; and the oldest admission where there is none.
local nothing, never = pack('>d', 0), math.huge
local opened, opened_count, by_key = {}, 0, {}

-- A piece that is missing has expired: the store's clock was set forward, and back again.
local function piece_of(kept, number)
  local cut = kept.cut
  if cut.number ~= number then
    cut.piece = call('GET', kept.key .. ':' .. number) or ''
    cut.number = number
  end
  return cut.piece
end

local function size_of(kept)
  local cut, count = kept.cut, (#kept.tail + 1 - kept.tail_from + #kept.added) / 8
  if cut then
    count = count + (cut.stop - cut.from) / 8 + (cut.last - cut.first) * piece_count
  end
  return count
end

-- The admission of that index, 1 for the oldest; and where it lies: a part or a piece, and an offset.
local function entry(kept, index)
  local cut = kept.cut
  if cut then
    local offset = cut.from + index * 8 - 8
    if offset < cut.stop then
      return raw(cut.head, offset), 'head', offset
    end
    index = index - (cut.stop - cut.from) / 8
    local between = (cut.last - cut.first) * piece_count
    if index <= between then
      local number = cut.first + floor((index - 1) / piece_count)
      local text = piece_of(kept, number)
      offset = (index - 1) % piece_count * 8 + 1
      return #text < piece_bytes and 0 or raw(text, offset), number, offset
    end
    index = index - between
  end
  local offset = kept.tail_from + index * 8 - 8
  if offset <= #kept.tail then
    return raw(kept.tail, offset), 'tail', offset
  end
  return raw(kept.added, offset - #kept.tail)
end

-- What decides: the number of admissions, and the whole microseconds of the oldest and the newest one.
local function survey(kept)
  local size = size_of(kept)
  kept.size = size
  kept.oldest = size > 0 and floor((entry(kept, 1))) or never
  kept.newest = size > 0 and floor((entry(kept, size))) or 0
end

-- What is stored under a key: the tail, and what lies before it if the value is cut.
local function open(key, limit)
  local kept = by_key[key]
  if kept then
    return kept
  end
  local value = call('GET', key) or nothing
  local length, promised = #value, unpack_('>d', value, 1)
  local newest = length > 8 and floor((unpack_('>d', value, length - 7))) or 0
  kept = {
    key = key,
    limit = limit,
    promised = floor(promised),
    -- Whether the key outlives its window by an eighth.
    has_spare = promised % 1 ~= 0,
    tail = value,
    tail_from = 9,
    -- Admissions that are not stored yet, and the newest one that is.
    added = '',
    stored = newest,
    way = 0,
    size = length / 8 - 1,
    oldest = never,
    newest = newest,
  }
  if length > 8 then
    local first = unpack_('>d', value, 9)
    kept.oldest = floor(first)
    if first < 0 and length > 32 then
      local last, count = unpack_('>dd', value, 17)
      local stop = min(33 + (count + below) * 8, length + 1)
      -- The head, and the numbers of the first piece and of the one behind the last.
      kept.cut = { head = value, from = 33, stop = stop, first = first + below, last = last + below }
      kept.tail_from = stop
      kept.size = length / 8 - 4 + (last - first) * piece_count
      kept.oldest = floor((entry(kept, 1)))
    end
  end
  by_key[key] = kept
  opened_count = opened_count + 1
  opened[opened_count] = kept
  return kept
end

local function is_dead(text, edge)
  return #text < piece_bytes or floor(raw(text, piece_bytes - 7)) <= edge
end

-- Leaves out what has expired of the head and the pieces; false if nothing is left of them. Of many
-- pieces the first one that lives is found by binary search.
local function expire_cut(kept, edge)
  local cut = kept.cut
  cut.from = find_living(cut.head, cut.from, cut.stop, edge)
  if cut.from < cut.stop then
    return true
  end
  kept.way = whole
  local low, high = cut.first, cut.last
  while low < high do
    -- Mostly it is the first one.
    local middle = low == cut.first and low or floor((low + high) / 2)
    if is_dead(piece_of(kept, middle), edge) then
      low = middle + 1
    else
      high = middle
    end
  end
  if low == cut.last then
    kept.cut = nil
    return false
  end
  cut.head, cut.first, cut.stop = piece_of(kept, low), low + 1, piece_bytes + 1
  cut.from = find_living(cut.head, 1, cut.stop, edge)
  return true
end

local function expire(kept, edge)
  if not (kept.cut and expire_cut(kept, edge)) then
    kept.tail_from = find_living(kept.tail, kept.tail_from, #kept.tail + 1, edge)
  end
  survey(kept)
end

-- Whether one of the last `quota` admissions is an unsettled reservation.
local function has_reserved(kept, size, quota)
  for index = size, size - quota + 1, -1 do
    local time = entry(kept, index)
    if now - floor(time) >= reservation_max then
      return false
    end
    if time % 1 ~= 0 then
      return true
    end
  end
  return false
end

-- When the rule admits the next one, of a window that is full.
local function find_rule(kept, size)
  local limit, promised = kept.limit, kept.promised
  local quota = limit.quota
  local rule_at = floor((entry(kept, size - quota + 1))) + limit.window
  if limit.is_reserved and has_reserved(kept, size, quota) then
    rule_at = min(rule_at, promised > now and promised or now + reserved_wait)
  end
  return rule_at
end

-- The end is a little later than when there is nothing to remember.
local function set(key, text, end_)
  if given ~= '' then
    -- The clock of a test may stand still while the store's goes on, so the key does not expire.
    call('SET', key, text)
  else
    -- At least one millisecond: a window that all has left is still there for its spare time.
    call('SET', key, text, 'PX', max(1, ceil((end_ - now) / 1000) + 10))
  end
end

-- Cuts full pieces out of what is too long. The newest admission stays in the tail.
local function shorten(kept)
  local cut, length = kept.cut, #kept.tail + 1 - kept.tail_from
  if not cut then
    if length <= 2 * piece_bytes then
      return
    end
    cut = { head = kept.tail, from = kept.tail_from, first = 0, last = 0 }
    cut.stop = cut.from + piece_bytes
    kept.cut, kept.tail_from, length = cut, cut.stop, length - piece_bytes
  end
  while length > piece_bytes do
    local stop = kept.tail_from + piece_bytes
    local text = sub(kept.tail, kept.tail_from, stop - 1)
    set(kept.key .. ':' .. cut.last, text, floor(raw(text, piece_bytes - 7)) + kept.limit.window)
    cut.last, kept.tail_from, length = cut.last + 1, stop, length - piece_bytes
  end
end

-- How much of a value may be expired.
local expired_max = 16 * 8

-- Whether it is enough to append what was added, and to keep what has expired until later.
local function is_appended(kept)
  if kept.way ~= append or not kept.has_spare then
    return false
  end
  local cut, length = kept.cut, #kept.tail + 1 - kept.tail_from + #kept.added
  if cut then
    return cut.from - 33 < expired_max and length <= piece_bytes
  end
  return kept.tail_from - 9 < expired_max and length <= 2 * piece_bytes
end

local function write(kept)
  local key, window, tail, added = kept.key, kept.limit.window, kept.tail, kept.added
  local spare = floor(window / 8)
  if is_appended(kept) then
    call('APPEND', key, added)
    local newest = kept.newest
    if floor(kept.stored / spare) ~= floor(newest / spare) and given == '' then
      call('PEXPIRE', key, ceil((newest + window + spare - now) / 1000) + 10)
    end
    return
  end
  kept.tail, kept.added = tail .. added, ''
  shorten(kept)
  local is_kept, text, cut = kept.way == same_end, '', kept.cut
  if cut and cut.first < cut.last then
    local count = (cut.stop - cut.from) / 8
    text = pack('>ddd', cut.first - below, cut.last - below, count - below)
  end
  if cut then
    text = text .. sub(cut.head, cut.from, cut.stop - 1)
  end
  local promised = kept.promised + ((kept.has_spare or not is_kept) and 0.5 or 0)
  text = pack('>d', promised) .. text .. sub(kept.tail, kept.tail_from)
  if is_kept then
    call('SET', key, text, 'KEEPTTL')
  else
    local newest = #text > 8 and floor(raw(text, #text - 7)) or 0
    set(key, text, max(newest + window + spare, kept.promised))
  end
end

-- The pieces behind it each give their oldest admission, so that all stay full.
local function take_out_of_piece(kept, place, offset)
  local cut = kept.cut
  for number = place, cut.last - 1 do
    local text, moved = piece_of(kept, number), nil
    if number + 1 < cut.last then
      moved = sub(piece_of(kept, number + 1), 1, 8)
    else
      moved = sub(kept.tail, kept.tail_from, kept.tail_from + 7)
      kept.tail_from = kept.tail_from + 8
    end
    text = sub(text, 1, offset - 1) .. sub(text, offset + 8) .. moved
    set(kept.key .. ':' .. number, text, floor(raw(moved, 1)) + kept.limit.window)
    offset = 1
  end
  cut.number = nil
end

local function take_out(kept, place, offset)
  local cut = kept.cut
  if place == 'head' then
    cut.head = sub(cut.head, cut.from, offset - 1) .. sub(cut.head, offset + 8, cut.stop - 1)
    cut.from, cut.stop = 1, #cut.head + 1
  elseif place == 'tail' then
    kept.tail = sub(kept.tail, kept.tail_from, offset - 1) .. sub(kept.tail, offset + 8)
    kept.tail_from = 1
  else
    take_out_of_piece(kept, place, offset)
  end
  if cut and kept.tail_from > #kept.tail and cut.first < cut.last then
    cut.last = cut.last - 1
    kept.tail, kept.tail_from = piece_of(kept, cut.last), 1
  end
end

local function settle(kept, verb, recorded)
  local tail, added = kept.tail, kept.added
  kept.tail, kept.added = tail .. added, ''
  local wanted = verb == 'b' and recorded or recorded + 0.5
  local index, time, place, offset = size_of(kept) + 1
  repeat
    index = index - 1
    if index > 0 then
      time, place, offset = entry(kept, index)
    end
    if index < 1 or floor(time) < recorded then
      kept.tail, kept.added = tail, added
      return
    end
  until time == wanted
  kept.way = (kept.way == 0 or kept.way == same_end) and same_end or whole
  local settled = pack('>d', recorded)
  if verb ~= 'c' then
    take_out(kept, place, offset)
  elseif place == 'tail' then
    kept.tail = sub(kept.tail, 1, offset - 1) .. settled .. sub(kept.tail, offset + 8)
  elseif place == 'head' then
    local head = kept.cut.head
    kept.cut.head = sub(head, 1, offset - 1) .. settled .. sub(head, offset + 8)
  else
    local text = piece_of(kept, place)
    text = sub(text, 1, offset - 1) .. settled .. sub(text, offset + 8)
    call('SET', kept.key .. ':' .. place, text, 'KEEPTTL')
    kept.cut.piece = text
  end
  survey(kept)
end

local answer, answer_count = { now }, 1
local function tell(number)
  answer_count = answer_count + 1
  answer[answer_count] = number
end

local function charge(kept)
  -- Times never decrease, so a clock that is set back shortens no window.
  local recorded = max(now, kept.newest)
  kept.added = kept.added .. pack('>d', recorded + (kept.limit.is_reserved and 0.5 or 0))
  kept.newest, kept.size, kept.oldest = recorded, kept.size + 1, min(kept.oldest, recorded)
  if kept.way == 0 then
    kept.way = append
  elseif kept.way == same_end then
    kept.way = whole
  end
  return recorded
end

-- The wait that the client is told, in whole seconds, is kept. It moves only when reserved slots that
-- it did not count have become failures.
local function promise(kept, rule_at)
  if rule_at > max(now, kept.promised) then
    kept.promised = now + max(1, ceil((rule_at - now) / second)) * second
    kept.way = whole
  end
end

local windows, rules = {}, {}

-- Gives whether all were admitted.
local function decide(verb, count)
  local wait = 0
  for index = 1, count do
    local kept = windows[index]
    local limit, promised = kept.limit, kept.promised
    if kept.oldest <= now - limit.window then
      expire(kept, now - limit.window)
    end
    local rule_at = kept.size < limit.quota and 0 or find_rule(kept, kept.size)
    rules[index] = rule_at
    if rule_at > now + wait then
      wait = rule_at - now
    end
    if promised > now + wait then
      wait = promised - now
    end
  end
  tell(wait)
  for index = 1, count do
    local kept, recorded = windows[index], 0
    local limit = kept.limit
    if wait > 0 then
      promise(kept, rules[index])
    elseif verb ~= 'p' then
      recorded = charge(kept)
    end
    local promised, window, size = kept.promised - now, limit.window, kept.size
    local free = size > 0 and kept.oldest + window - now or window
    answer[answer_count + 1] = promised > 0 and 0 or max(0, limit.quota - size)
    answer[answer_count + 2] = max(free, promised)
    answer_count = answer_count + 2
    if verb == 'n' or limit.is_reserved then
      tell(recorded)
    end
  end
  return wait <= 0
end

local limits = {}
for number = 0, limit_count - 1 do
  local at = 5 + number * 3
  limits[48 + number] = {
    quota = tonumber(ARGV[at]),
    window = tonumber(ARGV[at + 1]),
    is_reserved = ARGV[at + 2] == '1',
  }
end

local is_late = deadline ~= '' and now > tonumber(deadline)
local position, key_number, time_number, is_admitted = 1, 0, 4 + limit_count * 3, false
while position <= #plan do
  local verb, count = sub(plan, position, position), 0
  local is_settlement = verb == 'c' or verb == 'f' or verb == 'b'
  local is_asked = not is_late and (verb ~= 'n' or is_admitted)
  position = position + 1
  local limit = limits[byte(plan, position)]
  while limit do
    key_number, position, count = key_number + 1, position + 1, count + 1
    if is_settlement then
      time_number = time_number + 1
      settle(open(KEYS[key_number], limit), verb, tonumber(ARGV[time_number]))
    elseif is_asked then
      windows[count] = open(KEYS[key_number], limit)
    end
    limit = limits[byte(plan, position)]
  end
  if not is_settlement and not is_late then
    if is_asked then
      is_admitted = decide(verb, count)
    else
      tell(-1)
    end
  end
end

for index = 1, opened_count do
  if opened[index].way > 0 then
    write(opened[index])
  end
end
return answer
