-- Sends the requests of a plan (plan.ts): argument 1 is the file with its templates, 2 the first
-- number to put in, 3 how many in a hundred are sent again.
local pieces, count, number, percent, sent, position = {}, 0, 0, 0, {}, 0
local mark, kept, distance = '##########', 4096, 2048

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  local text = file:read('*a')
  file:close()
  for template in text:gmatch('[^\30]+') do
    local parts, from = {}, 1
    while true do
      local first, last = template:find(mark, from, true)
      parts[#parts + 1] = template:sub(from, (first or 0) - 1)
      if not first then break end
      from = last + 1
    end
    pieces[#pieces + 1] = parts
  end
  count, number, percent = #pieces, tonumber(args[2]), tonumber(args[3])
  math.randomseed(number)
end

function request()
  if percent > 0 and position > distance and math.random(100) <= percent then
    return sent[(position - distance) % kept]
  end
  local parts = pieces[math.random(count)]
  local made = parts[1]
  if #parts > 1 then
    number = number + 1
    made = table.concat(parts, string.format('%010d', number))
  end
  if percent > 0 then
    position = position + 1
    sent[position % kept] = made
  end
  return made
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"lost":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
