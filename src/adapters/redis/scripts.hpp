#pragma once
#include <string_view>

namespace ctxmgr::redis {

// All but the first: KEYS[1] the namespace's keys in byte order (a sorted set of equal scores), KEYS[2] when those with a
// time to live expire; ARGV[1] what the names of values begin with. A value is the version in 20 digits, a blank, whose it
// is, and the value itself. Frozen (v1).

/// KEYS[1] the last version that was given to anybody, and the epoch: the server's time when there was none yet. Reserves
/// ARGV[1] versions and gives the first and the epoch. Server time keeps them from repeating even where the last one was
/// lost; another epoch shows that it was, and everything else with it.
inline constexpr std::string_view reserve_script = R"(
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local last, epoch = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
if not last then last, epoch = '0', string.format('%.0f', now) end
local first = math.max(now, tonumber(last) + 1)
redis.call('SET', KEYS[1], string.format('%.0f ', first + tonumber(ARGV[1])) .. epoch)
return {string.format('%.0f', first), epoch}
)";

/// ARGV: for each change key, "set" or "erase", ttl or "", expected version or "", content with its version. Gives 1, 0
/// for a conflict, or 2 where a key was expected to be absent whose value was evicted. Every key is looked at before
/// any is written: where a cluster is moving them, that fails.
inline constexpr std::string_view write_script = R"(
local base = ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for i = 2, #ARGV, 5 do
  local expected = ARGV[i + 3]
  if expected ~= '' then
    local head = redis.call('GETRANGE', base .. ARGV[i], 0, 19)
    if head == '' then head = '00000000000000000000' end
    if head ~= expected then return 0 end
    if tonumber(head) == 0 and redis.call('ZSCORE', KEYS[1], ARGV[i]) then
      local expiry = redis.call('ZSCORE', KEYS[2], ARGV[i])
      if not expiry or tonumber(expiry) > now + 3600000 then return 2 end
    end
  else
    redis.call('EXISTS', base .. ARGV[i])
  end
end
local set = {}
local stays = {}
for i = 2, #ARGV, 5 do
  local key, ttl = ARGV[i], ARGV[i + 2]
  if ARGV[i + 1] == 'erase' then
    redis.call('DEL', base .. key)
    redis.call('ZREM', KEYS[1], key)
    stays[#stays + 1] = key
  else
    local content = ARGV[i + 4]
    if ttl == '' then
      redis.call('SET', base .. key, content)
      stays[#stays + 1] = key
    else
      redis.call('SET', base .. key, content, 'PX', ttl)
      redis.call('ZADD', KEYS[2], now + tonumber(ttl), key)
    end
    set[#set + 1] = 0
    set[#set + 1] = key
  end
  if #set >= 1000 then
    redis.call('ZADD', KEYS[1], unpack(set))
    set = {}
  end
end
if #set > 0 then redis.call('ZADD', KEYS[1], unpack(set)) end
if redis.call('EXISTS', KEYS[2]) == 1 then
  for i = 1, #stays do redis.call('ZREM', KEYS[2], stays[i]) end
  local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - 1000, 'LIMIT', 0, 100)
  for i = 1, #gone do
    if redis.call('EXISTS', base .. gone[i]) == 0 then
      redis.call('ZREM', KEYS[1], gone[i])
      redis.call('ZREM', KEYS[2], gone[i])
    end
  end
end
return 1
)";

/// ARGV: keys. Gives their values; nil where there is none; 1 where there should be one: it was evicted. With less than
/// an hour to live left, it counts as expired: the server's clock may have been ahead when it went.
inline constexpr std::string_view read_script = R"(
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local values = {}
for i = 2, #ARGV do
  local value = redis.call('GET', ARGV[1] .. ARGV[i])
  if not value and redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    local expiry = redis.call('ZSCORE', KEYS[2], ARGV[i])
    if not expiry or tonumber(expiry) > now + 3600000 then value = 1 end
  end
  values[i - 1] = value
end
return values
)";

/// ARGV: lower and upper bound as of ZRANGEBYLEX, number of keys to look at. Gives how many were looked at, the last of
/// them, and then key and length for each that is there.
inline constexpr std::string_view list_script = R"(
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local keys = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
local listed = {#keys, keys[#keys] or ''}
for i = 1, #keys do
  local length = redis.call('STRLEN', ARGV[1] .. keys[i])
  local expiry = length == 0 and redis.call('ZSCORE', KEYS[2], keys[i])
  if not expiry or tonumber(expiry) > now + 3600000 then
    listed[#listed + 1] = keys[i]
    listed[#listed + 1] = length
  end
end
return listed
)";

/// Erases some keys and gives how many are left.
inline constexpr std::string_view erase_script = R"(
local keys = redis.call('ZRANGE', KEYS[1], 0, 999)
for i = 1, #keys do redis.call('UNLINK', ARGV[1] .. keys[i]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, 999)
local left = redis.call('ZCARD', KEYS[1])
if left == 0 then redis.call('DEL', KEYS[2]) end
return left
)";

}  // namespace ctxmgr::redis
