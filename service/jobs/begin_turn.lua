-- Begin the turn of the player who has had the least time. Appended to turns.lua.
--
-- ARGV  6 the jobs' state: 'queued', or 'running' for one that was suspended
--       7.. job, player: jobs that may have a turn, longest wait first
-- Returns the job, or false if none of them is in that state any more. A turn that another worker
-- has begun, and whose job that worker is about to claim, is not begun again.

local chosen, player, before
for i = 7, #ARGV, 2 do
  local had = used(ARGV[i + 1])
  if (not chosen or had < before) and not begun[ARGV[i]]
    and redis.call('HGET', KEYS[4] .. ARGV[i], 'state') == ARGV[6] then
    chosen, player, before = ARGV[i], ARGV[i + 1], had
  end
end
if not chosen then return false end

passed[player] = passed[player] or 0
-- The least of these: turns in progress count for LEAST, but may end sooner.
local level = math.huge
for one, time in pairs(passed) do level = math.min(level, ended(one) + time) end
floor = math.max(floor, level)
redis.call('SET', KEYS[2], floor)
local times = {}
for one in pairs(unpaid) do times[one] = ended(one) end
times[player] = math.max(ended(player), floor - passed[player])
for one, time in pairs(times) do redis.call('ZADD', KEYS[1], time, one) end
for _, id in ipairs(over) do redis.call('HDEL', KEYS[3], id) end
redis.call('HSET', KEYS[3], chosen, ARGV[1] .. ' ' .. player)
for _, other in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', floor)) do
  -- The entry of a player with a turn in progress is needed when that turn ends.
  if not passed[other] then redis.call('ZREM', KEYS[1], other) end
end
return chosen
