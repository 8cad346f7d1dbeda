-- Reserve one of a player's import slots. Redis 6.2 or later.
--
-- KEYS  1 the player's imports under way (set of ids)
--       2 the player's uploads (sorted set: '<id> <token>' by the end of the slot's lease)
-- ARGV  1 id of the import   2 token of the upload   3 now   4 end of the lease (both in
--       milliseconds since 1970)   5 number of slots   6 seconds to keep the set of uploads
-- Returns 1, or 0 if no slot is free. An import takes one slot, from its first upload to its end.

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
