-- Maintain the queues of jobs: one for each kind and group, so that no group hides another.
--
-- <prefix>queued:<kind>:<group>   sorted set: its queued jobs, by due time
-- <prefix>heads:<kind>            sorted set: its groups with queued jobs, by when one may begin
-- <prefix>held:<kind>             hash: group → the time before which none of its jobs begins
-- <prefix>waiting                 hash: kind → number of its queued jobs

local function keep_head(prefix, kind, group)
  local heads, held = prefix .. 'heads:' .. kind, prefix .. 'held:' .. kind
  local first = redis.call('ZRANGE', prefix .. 'queued:' .. kind .. ':' .. group, 0, 0, 'WITHSCORES')
  if not first[1] then
    redis.call('ZREM', heads, group)
    return
  end
  local due, from = first[2], redis.call('HGET', held, group)
  if from and tonumber(from) > tonumber(due) then due = from end
  redis.call('ZADD', heads, due, group)
end

-- Put a job into its queue, due at `due`, or take it out if that is nil.
local function file(prefix, id, kind, group, due)
  local queue = prefix .. 'queued:' .. kind .. ':' .. group
  local before = redis.call('ZCARD', queue)
  if due then redis.call('ZADD', queue, due, id) else redis.call('ZREM', queue, id) end
  local change = redis.call('ZCARD', queue) - before
  if change ~= 0 then redis.call('HINCRBY', prefix .. 'waiting', kind, change) end
  keep_head(prefix, kind, group)
end
