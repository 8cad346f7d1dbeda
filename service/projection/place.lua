-- Put one entity's line in a sorted set, in place of the one it has there, unless that is newer.
--
-- KEYS  1 current generation   2 generation being built
-- ARGV  1 key prefix of a generation   2 the one generation to write, '' for every live one
--       3 name of the hash that remembers the lines   4 entity   5 version
--       6 name of the sorted set, '' for none   7 score   8 line
-- What is in no set is remembered if it was in one, or has a line all the same: then an older
-- version that comes later is known to be older.
-- Returns 1, or 0 when the generation asked for is no longer being built.
-- `changed` keeps the least score at which a sorted set changed. All keys share one hash tag.

local building = redis.call('GET', KEYS[2])
local generations = {}
if ARGV[2] == '' then
  generations[1] = redis.call('GET', KEYS[1]) or '0'
  if building then generations[2] = building end
elseif ARGV[2] == building then
  generations[1] = building
else
  return 0
end

local function changed(base, set, score)
  local least = redis.call('HGET', base .. 'changed', set)
  if not least or tonumber(score) < tonumber(least) then
    redis.call('HSET', base .. 'changed', set, score)
  end
end

local version = tonumber(ARGV[5])
for _, generation in ipairs(generations) do
  local base = ARGV[1] .. generation .. ':'
  local known = redis.call('HGET', base .. ARGV[3], ARGV[4]) or '0\n\n\n'
  local before, set, score, line = string.match(known, '^(%d+)\n([^\n]*)\n([^\n]*)\n(.*)$')
  if tonumber(before) <= version then
    if set ~= ARGV[6] or score ~= ARGV[7] or line ~= ARGV[8] then
      if set ~= '' then
        redis.call('ZREM', base .. set, line)
        changed(base, set, score)
      end
      if ARGV[6] ~= '' then
        redis.call('ZADD', base .. ARGV[6], ARGV[7], ARGV[8])
        redis.call('SADD', base .. 'keys', ARGV[3], ARGV[6])
        changed(base, ARGV[6], ARGV[7])
      end
    end
    if set ~= '' or ARGV[6] ~= '' or ARGV[8] ~= '' then
      local told = table.concat({ARGV[5], ARGV[6], ARGV[7], ARGV[8]}, '\n')
      redis.call('HSET', base .. ARGV[3], ARGV[4], told)
    end
  end
end
return 1
