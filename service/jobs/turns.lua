-- Count how much of the workers' time players have had. Redis 6.2 or later.
--
-- KEYS  1 used (sorted set: player → milliseconds of the turns that have ended)
--       2 floor (string)
--       3 turns (hash: job → '<milliseconds since 1970 at which it began> <player>')
--       4 prefix of the jobs' hashes (one hash tag with all)
-- ARGV  1 now   2 LEAST   3 CHARGE   4 GRACE, all in milliseconds
--       5 a job whose turn is not counted, or ''
--
-- A player's time is `used` plus that of each turn in progress, LEAST at least, so that workers that
-- begin turns meanwhile take it into account. A dead worker's turn counts until its lease expired,
-- however late its job is taken from it, or for CHARGE if it never claimed the job; setting the clock
-- back prolongs neither.

local now, least, charge = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local floor = tonumber(redis.call('GET', KEYS[2]) or 0)
local begun = {} -- job → true
local passed = {} -- player → milliseconds that turns in progress have lasted
local counted = {} -- player → milliseconds that these count for
local over = {} -- jobs whose turns are over, although nobody ended them
local unpaid = {} -- player → milliseconds of these

local turns = redis.call('HGETALL', KEYS[3])
for i = 1, #turns, 2 do
  local id = turns[i]
  local began, player = string.match(turns[i + 1], '^(%-?%d+) (.*)$')
  began = tonumber(began)
  local job = redis.call('HMGET', KEYS[4] .. id, 'state', 'updated_at', 'until')
  local is_running = job[1] == 'running'
  local last = math.max(began, tonumber(job[2] or 0))
  local held = math.min(is_running and now or last, tonumber(job[3] or 0))
  local lasted = math.max(0, held - began)
  if not is_running and math.abs(now - last) >= tonumber(ARGV[4]) then
    over[#over + 1] = id
    unpaid[player] = (unpaid[player] or 0) + math.max(charge, lasted)
  else
    begun[id] = true
    passed[player] = (passed[player] or 0) + lasted
    counted[player] = (counted[player] or 0) + (id == ARGV[5] and 0 or math.max(least, lasted))
  end
end

local function ended(player)
  return tonumber(redis.call('ZSCORE', KEYS[1], player) or 0) + (unpaid[player] or 0)
end

local function used(player)
  return math.max(floor, ended(player) + (counted[player] or 0))
end
