"""The Redis keys of jobs, and the scripts that change them.

movelog:{jobs}:job:<id>         hash: one job
movelog:{jobs}:state:<state>    sorted set: the jobs in a state; queued ones by when they are
                                due, running ones by when their lease expires, the others
                                by when they entered it
movelog:{jobs}:given-up         sorted set: the quarantined jobs whose consequences are not drawn
                                yet, by when to draw them
movelog:{jobs}:took:<kind>      list: the milliseconds that the newest done jobs of a kind took

The queued jobs of each kind and group are also in a separate queue (`enqueue.lua`).
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

PREFIX: Final = "movelog:{jobs}:"
JOB: Final = f"{PREFIX}job:"
BY_STATE: Final = f"{PREFIX}state:"
GIVEN_UP: Final = f"{PREFIX}given-up"
QUEUED: Final = f"{PREFIX}queued:"
HEADS: Final = f"{PREFIX}heads:"
HELD: Final = f"{PREFIX}held:"
WAITING: Final = f"{PREFIX}waiting"
TOOK: Final = f"{PREFIX}took:"

_SCRIPTS: Final = files("service.jobs")
FILING: Final = _SCRIPTS.joinpath("enqueue.lua").read_text()
TRANSITION: Final = FILING + _SCRIPTS.joinpath("transition.lua").read_text()
TURNS: Final = _SCRIPTS.joinpath("turns.lua").read_text()
BEGIN_TURN: Final = TURNS + _SCRIPTS.joinpath("begin_turn.lua").read_text()
END_TURN: Final = """
local began, player = string.match(redis.call('HGET', KEYS[3], ARGV[1]) or '', '^(%-?%d+) (.*)$')
if not player then return 0 end
redis.call('HDEL', KEYS[3], ARGV[1])
return redis.call('ZADD', KEYS[1], (redis.call('ZSCORE', KEYS[1], player) or 0) + ARGV[2], player)
"""
READ_USED: Final = f"""{TURNS}
local found = {{}}
for i = 6, #ARGV do found[#found + 1] = used(ARGV[i]) end
return found
"""
HOLD: Final = f"""{FILING}
if ARGV[3] == '' then redis.call('HDEL', KEYS[1] .. 'held:' .. ARGV[1], ARGV[2])
else redis.call('HSET', KEYS[1] .. 'held:' .. ARGV[1], ARGV[2], ARGV[3]) end
keep_head(KEYS[1], ARGV[1], ARGV[2])
"""
LAPSE: Final = """
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
"""
ADOPT: Final = f"""{FILING}
local of = redis.call('HMGET', KEYS[1], 'state', 'due', 'kind', 'group')
if of[1] == 'queued' then file(KEYS[2], ARGV[1], of[3], of[4] or '', of[2]) end
"""
FORGET: Final = """
if redis.call('HGET', KEYS[1], 'state') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('ZREM', KEYS[2], ARGV[1])
"""
HASTEN: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('HSET', KEYS[1], 'batch', '0')
"""
