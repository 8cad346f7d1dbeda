-- Count how much of the workers' time players have had. Redis 6.2 or later.
--
-- KEYS  1 used (sorted set: player → milliseconds of all turns, LEAST for one in progress)
--       2 floor (string)
--       3 turns (hash: job → '<milliseconds since 1970 at which it began> <player>')
--       4 prefix of the jobs' hashes (one hash tag with all)
-- ARGV  1 now   2 LEAST   3 GRACE, all in milliseconds   4 a job whose turn is not counted, or ''
--
-- A player's time is `used` plus, for each turn in progress, its time beyond LEAST, so that workers
-- that begin turns meanwhile take it into account. A dead worker's turn lasts until its job is taken
-- from it, or for GRACE if it never claimed the job; setting the clock back prolongs neither.

local now, least = tonumber(ARGV[1]), tonumber(ARGV[2])
local floor = tonumber(redis.call('GET', KEYS[2]) or 0)
local begun = {} -- job → true
local running = {} -- player → milliseconds beyond LEAST
local over = {} -- jobs whose turns are over, although nobody ended them

local turns = redis.call('HGETALL', KEYS[3])
for i = 1, #turns, 2 do
  local id = turns[i]
  local began, player = string.match(turns[i + 1], '^(%-?%d+) (.*)$')
  local job = redis.call('HMGET', KEYS[4] .. id, 'state', 'updated_at')
  local last = math.max(tonumber(began), tonumber(job[2] or 0))
  if job[1] == 'running' or math.abs(now - last) < tonumber(ARGV[3]) then
    local lasted = id == ARGV[4] and 0 or math.max(0, now - tonumber(began) - least)
    begun[id] = true
    running[player] = (running[player] or 0) + lasted
  else
    over[#over + 1] = id
  end
end

local function used(player)
  local had = tonumber(redis.call('ZSCORE', KEYS[1], player) or 0)
  return math.max(floor, had + (running[player] or 0))
end
