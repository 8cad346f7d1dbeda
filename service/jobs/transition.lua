-- Move a job from one state to another, or create one. Redis 6.2 or later. Appended to enqueue.lua.
--
-- KEYS  1 job (hash)   2 prefix of the jobs' keys (one hash tag with 1)
-- ARGV  1 id   2 states it may be in, each between blanks ('new': there is no such job)
--       3 the owner it must have, or ''   4 the time by which its lease must have expired, or ''
--       5 the new state   6 its score in that state's set, or '' for its due time
--       7 the number to add to its tries
--       8.. fields and values to set
-- Returns {1, state before}, or {0, state} if nothing was changed.

local id, prefix = ARGV[1], KEYS[2]
local state = redis.call('HGET', KEYS[1], 'state') or 'new'
local allowed = string.find(ARGV[2], ' ' .. state .. ' ', 1, true)
if allowed and ARGV[3] ~= '' then
  allowed = redis.call('HGET', KEYS[1], 'owner') == ARGV[3]
end
if allowed and ARGV[4] ~= '' then
  allowed = tonumber(redis.call('HGET', KEYS[1], 'until')) <= tonumber(ARGV[4])
end
if not allowed then return {0, state} end

local to, score = ARGV[5], ARGV[6]
if score == '' then score = redis.call('HGET', KEYS[1], 'due') end
if state ~= 'new' then redis.call('ZREM', prefix .. 'state:' .. state, id) end
redis.call('ZADD', prefix .. 'state:' .. to, score, id)
redis.call('HSET', KEYS[1], 'state', to)
for i = 8, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
if to == 'quarantined' then redis.call('ZADD', prefix .. 'given-up', score, id)
elseif state == 'quarantined' then redis.call('ZREM', prefix .. 'given-up', id) end
if ARGV[7] ~= '0' then redis.call('HINCRBY', KEYS[1], 'tries', ARGV[7]) end
if state == 'queued' or to == 'queued' then
  local of = redis.call('HMGET', KEYS[1], 'kind', 'group')
  file(prefix, id, of[1], of[2] or '', to == 'queued' and score or nil)
end
return {1, state}
