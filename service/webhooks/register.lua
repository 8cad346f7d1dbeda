-- Register a webhook, unless its owner already has the maximum. Redis 6.2 or later.
--
-- KEYS  1 hooks (hash)      ARGV  1 id   2 the webhook as JSON   3 its owner   4 maximum per owner
-- Returns 1, or 0 if it is not registered.

local count = 0
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if cjson.decode(text).owner == ARGV[3] then count = count + 1 end
end
if count >= tonumber(ARGV[4]) then return 0 end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
