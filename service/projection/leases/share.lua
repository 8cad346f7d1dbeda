-- Take a fair share of the partitions and give up those beyond it, in one atomic step.
--
-- KEYS  1 members (zset: process, end of its membership in ms)   2 leases (hash: unit, process)
--       3 refusals (hash: partition, process that cannot read it)   (one hash tag)
-- ARGV  1 the process   2 how long its membership lasts from now on, in ms   3 number of partitions
--       then the partitions that it cannot read
-- Returns {partitions it has, 1 if it has the duties, all members, 1 if it was a member before}.
-- A unit is a partition, or `duties`: the work that one process does for all. Time is Redis' clock.

local me = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local was = redis.call('ZADD', KEYS[1], now + ARGV[2], me) == 0

local members = redis.call('ZRANGE', KEYS[1], 0, -1)
local lives = {}
for _, member in ipairs(members) do lives[member] = true end

local function read(key)
  local found = {}
  local flat = redis.call('HGETALL', key)
  for i = 1, #flat, 2 do
    if lives[flat[i + 1]] then found[flat[i]] = flat[i + 1] else redis.call('HDEL', key, flat[i]) end
  end
  return found
end

local held = read(KEYS[2])
local refused = read(KEYS[3])
local unreadable = {}
for i = 4, #ARGV do
  unreadable[ARGV[i]] = true
  redis.call('HSET', KEYS[3], ARGV[i], me)
end

-- Partitions that another process cannot read are taken beyond the fair share: it may be unable to
-- read any.
local mine, free, beyond = {}, {}, {}
for partition = 0, ARGV[3] - 1 do
  local unit = tostring(partition)
  if unreadable[unit] then
    if held[unit] == me then redis.call('HDEL', KEYS[2], unit) end
  elseif held[unit] == nil or held[unit] == me then
    if refused[unit] and refused[unit] ~= me then
      redis.call('HSET', KEYS[2], unit, me)
      table.insert(beyond, unit)
    elseif held[unit] == me then
      table.insert(mine, unit)
    else
      table.insert(free, unit)
    end
  end
end

local most = math.ceil(ARGV[3] / #members)
while #mine > most do redis.call('HDEL', KEYS[2], table.remove(mine)) end
for _, unit in ipairs(free) do
  if #mine >= most then break end
  redis.call('HSET', KEYS[2], unit, me)
  table.insert(mine, unit)
end
for _, unit in ipairs(beyond) do table.insert(mine, unit) end

local duties = held['duties'] == nil or held['duties'] == me
if duties then redis.call('HSET', KEYS[2], 'duties', me) end
return {mine, duties and 1 or 0, members, was and 1 or 0}
