-- Begin the turn of the player who has had the least time. Appended to turns.lua.
--
-- ARGV  5 the jobs' state: 'queued', or 'running' for one that was suspended
--       6.. job, player: jobs that may have a turn, longest wait first
-- Returns the job, or false if none of them is in that state any more. A turn that another worker
-- has begun, and whose job that worker is about to claim, is not begun again.

local chosen, player, before
for i = 6, #ARGV, 2 do
  local had = used(ARGV[i + 1])
  if (not chosen or had < before) and not begun[ARGV[i]]
    and redis.call('HGET', KEYS[4] .. ARGV[i], 'state') == ARGV[5] then
    chosen, player, before = ARGV[i], ARGV[i + 1], had
  end
end
if not chosen then return false end

for _, id in ipairs(over) do redis.call('HDEL', KEYS[3], id) end
redis.call('HSET', KEYS[3], chosen, ARGV[1] .. ' ' .. player)
running[player] = running[player] or 0
redis.call('ZADD', KEYS[1], before - running[player] + least, player)
redis.call('SET', KEYS[2], before)
for _, other in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', before)) do
  -- The entry of a player with a turn in progress is needed when that turn ends.
  if not running[other] then redis.call('ZREM', KEYS[1], other) end
end
return chosen
