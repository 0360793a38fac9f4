-- Sends requests from templates (load.ts). Argument 1 is the file with the templates, argument 2 is
-- the first number to put in.
local templates, number, count, isNumbered = {}, 0, 0, false

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  local text = file:read('*a')
  file:close()
  isNumbered = text:find('##########', 1, true) ~= nil
  for template in text:gmatch('[^\30]+') do
    count = count + 1
    templates[count] = template
  end
  number = tonumber(args[2])
  math.randomseed(number)
end

-- A template without a number is sent as it is: to look for one would make a copy.
function request()
  local template = templates[math.random(count)]
  if not isNumbered then return template end
  number = number + 1
  return (template:gsub('##########', string.format('%010d', number)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"lost":%d,"late":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
