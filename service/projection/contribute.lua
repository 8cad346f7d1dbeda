-- Change what one game has contributed to the indexes of positions.
--
-- KEYS  1 current generation   2 generation being built
-- ARGV  1 key prefix of a generation   2 the generation   3 game
--       4 marker of what the game has contributed, '' for nothing   5 the new one
--       6 how many counts change   then for each: bucket, field, by how much
--       then for each game-in-position: '+' or '-', bucket, member
-- Returns 1; 0 when the game has another marker by now; -1 when the generation is gone.
-- All keys share one hash tag, so that the names made here stay in the slot of KEYS[1].

local current = redis.call('GET', KEYS[1]) or '0'
if ARGV[2] ~= current and ARGV[2] ~= redis.call('GET', KEYS[2]) then return -1 end

local base, game = ARGV[1] .. ARGV[2] .. ':', ARGV[3]
if (redis.call('HGET', base .. 'indexed', game) or '') ~= ARGV[4] then return 0 end

local at = 7
for _ = 1, tonumber(ARGV[6]) do
  local counts = base .. 'next:' .. ARGV[at]
  if redis.call('HINCRBY', counts, ARGV[at + 1], ARGV[at + 2]) == 0 then
    redis.call('HDEL', counts, ARGV[at + 1])
  end
  at = at + 3
end
while at <= #ARGV do
  local games = base .. 'seen:' .. ARGV[at + 1]
  if ARGV[at] == '+' then
    redis.call('ZADD', games, 0, ARGV[at + 2])
  else
    redis.call('ZREM', games, ARGV[at + 2])
  end
  at = at + 3
end

if ARGV[5] == '' then
  redis.call('HDEL', base .. 'indexed', game)
else
  redis.call('HSET', base .. 'indexed', game, ARGV[5])
end
return 1
