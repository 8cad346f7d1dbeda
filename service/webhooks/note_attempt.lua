-- Note an attempt to deliver to a webhook; one that has failed for too long is disabled.
-- Redis 6.2 or later.
--
-- KEYS  1 hooks   2 failing   3 disabled (hashes)   4 the webhook's log (list)
-- ARGV  1 id   2 the attempt as JSON   3 how many are kept   4 '1' if it arrived
--       5 when it was, in milliseconds since 1970   6 how long a webhook may fail, in milliseconds
--       7 why it is disabled then
-- A webhook that is not registered, or not any more, gets nothing.

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('LPUSH', KEYS[4], ARGV[2])
redis.call('LTRIM', KEYS[4], 0, ARGV[3] - 1)
if ARGV[4] == '1' then return redis.call('HDEL', KEYS[2], ARGV[1]) end
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[5])
if ARGV[5] - redis.call('HGET', KEYS[2], ARGV[1]) >= tonumber(ARGV[6]) then
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[7])
end
return 1
