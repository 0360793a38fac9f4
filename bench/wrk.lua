-- Sends requests from templates (load.ts). Argument 1 is the file with the templates, argument 2 is
-- the first number to put in.
local templates, number = {}, 0

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for template in file:read('*a'):gmatch('[^\30]+') do
    templates[#templates + 1] = template
  end
  file:close()
  number = tonumber(args[2])
  math.randomseed(number)
end

function request()
  number = number + 1
  return (templates[math.random(#templates)]:gsub('##########', string.format('%010d', number)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"lost":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
