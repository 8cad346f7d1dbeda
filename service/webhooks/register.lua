-- Register a webhook, unless its owner already has the maximum. Redis 6.2 or later.
--
-- KEYS  1 hooks   2 owners   3 the index of the owner   4 the index of everybody (hashes)
-- ARGV  1 id   2 the webhook as JSON   3 its owner   4 maximum per owner   5 its events, as in an
--       index   6 '1' if it listens to everybody
-- Returns 1, 0 if it is not registered, or -1 if the index has to be updated first.

if redis.call('HLEN', KEYS[1]) ~= redis.call('HLEN', KEYS[2]) then return -1 end
local count = 0
for _, id in ipairs(redis.call('HKEYS', KEYS[3])) do
  -- An earlier version may have removed it.
  count = count + redis.call('HEXISTS', KEYS[1], id)
end
if count >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[5])
if ARGV[6] == '1' then redis.call('HSET', KEYS[4], ARGV[1], ARGV[5]) end
return 1
