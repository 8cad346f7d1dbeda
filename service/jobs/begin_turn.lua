-- Begin the turn of whoever has had least. Stands behind turns.lua.
--
-- ARGV  5.. job, player: those that wait, the job that waits longest first
-- Returns the job; false where none of them waits any more. A turn that another worker has begun,
-- and whose job it is about to claim, is not begun again.

local chosen, player, before
for i = 5, #ARGV, 2 do
  local had = used(ARGV[i + 1])
  if (not chosen or had < before) and not begun[ARGV[i]]
    and redis.call('HGET', KEYS[4] .. ARGV[i], 'state') == 'queued' then
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
  -- What has been counted of a turn that goes on is needed when it ends.
  if not running[other] then redis.call('ZREM', KEYS[1], other) end
end
return chosen
