-- One page of the games that stand in all of some lists, newest first. Redis 6.2 or later.
--
-- KEYS  1 current generation
-- ARGV  1 key prefix of a generation   2 where to begin: '+', or '(' and a member
--       3 how many games   4 how many members to look at before giving up   5.. list names
-- Returns {cursor, summaries}: cursor is the last member looked at, '' at the end of the list.
-- The narrowest list is walked, the others are asked. All keys share one hash tag, so that the
-- names made here stay in the slot of KEYS[1].

local base = ARGV[1] .. (redis.call('GET', KEYS[1]) or '0') .. ':'
local wanted, budget = tonumber(ARGV[3]), tonumber(ARGV[4])

local narrowest, least, others = nil, nil, {}
for i = 5, #ARGV do
  local list = base .. 'list:' .. ARGV[i]
  local size = redis.call('ZCARD', list)
  others[#others + 1] = list
  if least == nil or size < least then narrowest, least = #others, size end
end
local walked = table.remove(others, narrowest)

local found, bound, last = {}, ARGV[2], ''
while budget > 0 do
  local asked = math.min(100, budget)
  local members = redis.call('ZREVRANGEBYLEX', walked, bound, '-', 'LIMIT', 0, asked)
  for _, member in ipairs(members) do
    local fits = true
    for _, list in ipairs(others) do
      fits = fits and redis.call('ZSCORE', list, member)
    end
    if fits then
      if #found == wanted then return {last, found} end
      found[#found + 1] = redis.call('HGET', base .. 'games', string.match(member, ':(.*)'))
    end
    last = member
  end
  if #members < asked then return {'', found} end
  bound = '(' .. last
  budget = budget - asked
end
return {last, found}
