-- Sends requests from templates (load.ts). Argument 1 is the file with the templates, argument 2 is
-- the first number to put in.
local pieces, count, number = {}, 0, 0
local mark = '##########'

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
  count, number = #pieces, tonumber(args[2])
  math.randomseed(number)
end

function request()
  local parts = pieces[math.random(count)]
  if #parts == 1 then return parts[1] end
  number = number + 1
  return table.concat(parts, string.format('%010d', number))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"lost":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
