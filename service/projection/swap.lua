-- Make the generation that was built the current one.
--
-- KEYS  1 current generation   2 generation being built
-- ARGV  1 the generation
-- Returns the generation that was current, or false when another rebuild has taken over.

if redis.call('GET', KEYS[2]) ~= ARGV[1] then return false end
local before = redis.call('GET', KEYS[1]) or '0'
redis.call('SET', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return before
