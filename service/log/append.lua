-- Append events to one stream, all or nothing, in one atomic step. Redis 6.2 or later.
--
-- KEYS  1 stream   2 receipts (hash)   3 attributes (hash)   4 feed   5 the partition's alarms (zset)
--       6 fence of the partition's streams of this kind   (one hash tag)
-- ARGV  1 expected version   2 receipt key or ''   3 receipt JSON
--       4 stream name for the feed   5 audience, blank separated   6 time in ms   7 by
--       8 digest of the newest event, zeros in an empty stream
--       9 the attribute that forbids the append, or ''
--       10 the stream's alarm, '0' for none, or '' to leave it as it is
--       11 the fence that was read before the archive was asked for the stream, or ''
--       12 the channel on which to publish the feed's new position, or ''
--       13 '1' if the caller waits for replicas, or ''
--       14 number of required attributes r, then r times: field, '1' and value, or '0' and '' for none
--       then the number of events n, then n times: stored name, JSON, digest (32 bytes)
--       then the number of attributes m, then m times: field, '1' and value, or '0' and '' to delete
--       then, if the request is traced, the trace context for followers of the feed
-- Returns {'done', receipt} if the key was used before; {'fenced', ''} if the stream is not here and
-- streams have been archived since the fence was read, perhaps this one; {'conflict', version} if the
-- stream is at another version or has another history; {'barred', attribute} if the forbidding
-- attribute is set or a required one has another value; else {'appended', version}. An entry's id
-- is <version>-0, so a version cannot be written twice even by a faulty caller.

if ARGV[2] ~= '' then
  -- Receipts restored from the archive have shorter keys.
  local seen = redis.call('HGET', KEYS[2], ARGV[2])
            or redis.call('HGET', KEYS[2], string.sub(ARGV[2], 1, 16))
  if seen then
    -- Written again, so that a wait for this connection's writes includes it.
    if ARGV[13] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], seen) end
    return {'done', seen}
  end
end

local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local version = 0
local head = string.rep('\0', 32)
if #last > 0 then
  version = tonumber(string.match(last[1][1], '^(%d+)'))
  head = last[1][2][10]
elseif (redis.call('GET', KEYS[6]) or '') ~= ARGV[11] then
  return {'fenced', ''}
end
if version ~= tonumber(ARGV[1]) or head ~= ARGV[8] then return {'conflict', version} end
if ARGV[9] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[9]) == 1 then return {'barred', ARGV[9]} end

local at = 14
for _ = 1, tonumber(ARGV[at]) do
  local value = redis.call('HGET', KEYS[3], ARGV[at + 1])
  if value ~= (ARGV[at + 2] == '1' and ARGV[at + 3]) then return {'barred', ARGV[at + 1]} end
  at = at + 3
end

if ARGV[10] == '0' then
  redis.call('ZREM', KEYS[5], ARGV[4])
elseif ARGV[10] ~= '' then
  redis.call('ZADD', KEYS[5], ARGV[10], ARGV[4])
end

at = at + 1
local count = tonumber(ARGV[at])
local first = version + 1
for _ = 1, count do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[at + 1], 'd', ARGV[at + 2],
             't', ARGV[6], 'b', ARGV[7], 'h', ARGV[at + 3])
  at = at + 3
end

at = at + 1
for _ = 1, tonumber(ARGV[at]) do
  if ARGV[at + 2] == '1' then
    redis.call('HSET', KEYS[3], ARGV[at + 1], ARGV[at + 3])
  else
    redis.call('HDEL', KEYS[3], ARGV[at + 1])
  end
  at = at + 3
end

if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
end
if count > 0 then
  local position
  if ARGV[at + 1] then
    position = redis.call('XADD', KEYS[4], '*', 's', ARGV[4], 'f', first, 'l', version,
                          'a', ARGV[5], 'c', ARGV[at + 1])
  else
    position = redis.call('XADD', KEYS[4], '*', 's', ARGV[4], 'f', first, 'l', version,
                          'a', ARGV[5])
  end
  if ARGV[12] ~= '' then redis.call('SPUBLISH', ARGV[12], position) end
end
return {'appended', version}
