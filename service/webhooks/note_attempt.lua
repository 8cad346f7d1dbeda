-- Record an attempt to deliver to a webhook; a webhook that has failed for too long is disabled.
-- Redis 6.2 or later.
--
-- KEYS  1 hooks   2 failing   3 disabled (hashes)   4 the webhook's log (list)
-- ARGV  1 id   2 the attempt as JSON   3 number of attempts to keep   4 '1' if it was delivered
--       5 its time, in milliseconds since 1970   6 how long a webhook may fail, in milliseconds
--       7 the reason to record if it is disabled
-- Nothing is recorded for a webhook that is not registered, or no longer.

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('LPUSH', KEYS[4], ARGV[2])
redis.call('LTRIM', KEYS[4], 0, ARGV[3] - 1)
if ARGV[4] == '1' then return redis.call('HDEL', KEYS[2], ARGV[1]) end
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[5])
if ARGV[5] - redis.call('HGET', KEYS[2], ARGV[1]) >= tonumber(ARGV[6]) then
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[7])
end
return 1
