-- Write one game into the lists, unless they show a newer version of it already.
--
-- KEYS  1 current generation   2 generation being built
-- ARGV  1 key prefix of a generation   2 the one generation to write, '' for every live one
--       3 game   4 version   5 member   6 summary
--       7.. names of the lists it stands in, and after a + of the counts it adds to
-- Returns 1, or 0 when the generation asked for is no longer being built.
-- All keys share one hash tag, so that the names made here stay in the slot of KEYS[1].

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

local game, version, member = ARGV[3], tonumber(ARGV[4]), ARGV[5]
local lists = ''
for i = 7, #ARGV do lists = lists .. ' ' .. ARGV[i] end

local function count(base, name, by)
  local field = string.sub(name, 2)
  if redis.call('HINCRBY', base .. 'counts', field, by) == 0 then
    redis.call('HDEL', base .. 'counts', field)
  end
end

for _, generation in ipairs(generations) do
  local base = ARGV[1] .. generation .. ':'
  local before = redis.call('HGET', base .. 'placed', game) or '0'
  if tonumber(string.match(before, '^%d+')) <= version then
    local stood = string.match(before, '^%d+(.*)$')
    if stood ~= lists then
      for name in string.gmatch(stood, '%S+') do
        local list = base .. 'list:' .. name
        if string.sub(name, 1, 1) == '+' then
          count(base, name, -1)
        else
          redis.call('ZREM', list, member)
          if redis.call('EXISTS', list) == 0 then redis.call('SREM', base .. 'lists', name) end
        end
      end
      for i = 7, #ARGV do
        if string.sub(ARGV[i], 1, 1) == '+' then
          count(base, ARGV[i], 1)
        else
          redis.call('ZADD', base .. 'list:' .. ARGV[i], 0, member)
          redis.call('SADD', base .. 'lists', ARGV[i])
        end
      end
    end
    redis.call('HSET', base .. 'placed', game, version .. lists)
    redis.call('HSET', base .. 'games', game, ARGV[6])
  end
end
return 1
