-- Reserve one of the slots that a player has for imports. Redis 6.2 or later.
--
-- KEYS  1 the player's imports under way (set of ids)
--       2 its uploads (sorted set: '<id> <token>', by when the lease of the slot runs out)
-- ARGV  1 id of the import   2 token of the upload   3 now   4 when the lease runs out, both in
--       milliseconds since 1970   5 how many slots there are   6 seconds to keep the uploads
-- Returns 1; 0 where no slot is free. An import takes one slot, from its first upload to its end.

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3])
local taken = redis.call('SCARD', KEYS[1])
local counted = {}
for _, upload in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local id = string.match(upload, '^%S+')
  if not counted[id] and redis.call('SISMEMBER', KEYS[1], id) == 0 then taken = taken + 1 end
  counted[id] = true
end
local has_one = counted[ARGV[1]] or redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1
if not has_one and taken >= tonumber(ARGV[5]) then return 0 end
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1] .. ' ' .. ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return 1
