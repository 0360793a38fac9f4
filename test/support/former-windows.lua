-- The exact sliding windows of several keys, decided atomically: the rule of src/gate/window.ts, for
-- instances that share a store.
--
-- KEYS     one per window and identity
-- ARGV[1]  take or peek; or counted or free, the outcome of slots that an earlier take reserved
-- ARGV[2]  the time in microseconds; empty: the store's own clock
-- ARGV[3]  the deadline: after it nothing is charged, because the request was answered already
-- then per key: its quota, its window in microseconds, and 1 if the slot is reserved; for an outcome,
-- per key: the time that was recorded
--
-- A value is a sequence of big-endian doubles, exact up to 2^52 microseconds: first the end of the
-- promised Retry-After, then the admissions, oldest first. A reserved slot is stored as its time plus
-- half a microsecond.
--
-- Returns { now } if nothing was decided, else { now, wait } and per key: remaining, reset and the time
-- that was recorded. All in microseconds.

local verb, given, deadline = ARGV[1], ARGV[2], ARGV[3]
local second = 1000000
local call, unpack_, ceil, floor = redis.call, struct.unpack, math.ceil, math.floor
local max, min = math.max, math.min
-- As in window.ts: the longest wait due to reserved slots, and the life of an unsettled one.
local reserved_wait, reservation_max = second, 10 * second
local now = tonumber(given)
if not now then
  local clock = call('TIME')
  now = clock[1] * second + clock[2]
end

-- Index 0 is the promise, 1 the oldest admission.
local function raw(value, index)
  return (unpack_('>d', value, index * 8 + 1))
end

local function at(value, index)
  return floor(raw(value, index))
end

if verb == 'counted' or verb == 'free' then
  for i, key in ipairs(KEYS) do
    local value = call('GET', key)
    local recorded = tonumber(ARGV[3 + i])
    local index = value and #value / 8 - 1 or 0
    while index > 0 and at(value, index) >= recorded and raw(value, index) ~= recorded + 0.5 do
      index = index - 1
    end
    if index > 0 and raw(value, index) == recorded + 0.5 then
      local settled = verb == 'counted' and struct.pack('>d', recorded) or ''
      local rest = value:sub(1, index * 8) .. settled .. value:sub(index * 8 + 9)
      call('SET', key, rest, 'KEEPTTL')
    end
  end
  return { now }
end

if deadline ~= '' and now > tonumber(deadline) then
  return { now }
end

-- Whether one of the last `quota` admissions is an unsettled reservation.
local function has_reserved(value, count, quota)
  for index = count, count - quota + 1, -1 do
    local time = raw(value, index)
    if time % 1 ~= 0 and now - floor(time) < reservation_max then
      return true
    end
  end
  return false
end

local function read(i)
  local key, quota, window = KEYS[i], tonumber(ARGV[1 + 3 * i]), tonumber(ARGV[2 + 3 * i])
  local is_reserved = ARGV[3 + 3 * i] == '1'
  local value = call('GET', key)
  local count = value and #value / 8 - 1 or 0
  -- The number of expired admissions, by binary search.
  local dead, last = 0, count
  while dead < last do
    local middle = ceil((dead + last) / 2)
    if at(value, middle) <= now - window then
      dead = middle
    else
      last = middle - 1
    end
  end
  local size = count - dead
  local promised = value and at(value, 0) or 0
  local rule_at = size >= quota and at(value, count - quota + 1) + window or 0
  if size >= quota and is_reserved and has_reserved(value, count, quota) then
    rule_at = min(rule_at, promised > now and promised or now + reserved_wait)
  end
  return {
    key = key,
    quota = quota,
    window = window,
    is_reserved = is_reserved,
    value = value,
    dead = dead,
    size = size,
    promised = promised,
    rule_at = rule_at,
    free_at = max(rule_at, promised),
    newest = count > 0 and at(value, count) or 0,
    oldest = size > 0 and at(value, dead + 1),
    recorded = 0,
  }
end

-- Milliseconds until the key holds nothing to remember, and a little more.
local function life(kept)
  return ceil((max(kept.newest + kept.window, kept.promised) - now) / 1000) + 10
end

local function write(kept, value)
  kept.value, kept.dead = value, 0
  if given ~= '' then
    -- The clock of a test may stand still while the store's goes on, so the key does not expire.
    call('SET', kept.key, value)
  else
    call('SET', kept.key, value, 'PX', life(kept))
  end
end

local function living(kept)
  return kept.value and kept.value:sub(kept.dead * 8 + 9) or ''
end

local windows, wait = {}, 0
for i = 1, #KEYS do
  windows[i] = read(i)
  wait = max(wait, windows[i].free_at - now)
end

-- A long value is appended to, and rewritten only when many of its admissions have expired.
local long, many = 256, 32

local function charge(kept)
  -- Times never decrease, so a clock that is set back shortens no window.
  kept.recorded = max(now, kept.newest)
  kept.newest, kept.oldest = kept.recorded, kept.oldest or kept.recorded
  kept.size = kept.size + 1
  local added = struct.pack('>d', kept.recorded + (kept.is_reserved and 0.5 or 0))
  if kept.value and #kept.value > long and kept.dead < many then
    call('APPEND', kept.key, added)
    if given == '' then
      call('PEXPIRE', kept.key, life(kept))
    end
  else
    write(kept, struct.pack('>d', kept.promised) .. living(kept) .. added)
  end
end

for _, kept in ipairs(windows) do
  if wait <= 0 then
    if verb == 'take' then
      charge(kept)
    end
  elseif kept.value and kept.rule_at > max(now, kept.promised) then
    -- The wait that the client is told, in whole seconds, is kept. It moves only when reserved slots
    -- that it did not count have become failures.
    local seconds = max(1, ceil((kept.rule_at - now) / second))
    kept.promised = now + seconds * second
    write(kept, struct.pack('>d', kept.promised) .. living(kept))
  end
end

local answer = { now, wait }
for _, kept in ipairs(windows) do
  local promised = kept.promised - now
  local free = kept.oldest and kept.oldest + kept.window - now or kept.window
  answer[#answer + 1] = promised > 0 and 0 or max(0, kept.quota - kept.size)
  answer[#answer + 1] = max(free, promised)
  answer[#answer + 1] = kept.recorded
end
return answer
