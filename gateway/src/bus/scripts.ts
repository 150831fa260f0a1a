import { MAX_LEASE_MS } from "./lease.ts";

/**
 * The maximum number of entries in the stream of a feed. Usually the stream is trimmed to its last two
 * windows before it reaches this size.
 */
const MAX_ENTRIES = 1024;

/** How long a feed is retained without new entries, in milliseconds. */
const KEEP_MS = 24 * 3600 * 1000;

/**
 * A script. Each script documents its keys and arguments, in this order. All keys of a feed are in the same
 * cluster slot.
 */
export interface Script {
  readonly text: string;
}

/**
 * Takes or extends the lease. A new fence is higher than all previous fences, even after the server has lost
 * its data, because it is derived from the server's clock.
 *
 * Keys: lease, state. Arguments: owner, the fence of the owner or "", the lease duration in milliseconds.
 * Returns the fence (a string) or, if another owner holds the lease, the remaining milliseconds (a number).
 */
export const LEASE: Script = {
  text: `
local lease = redis.call('GET', KEYS[1])
local last = redis.call('HGET', KEYS[2], 'fence')
if lease and lease ~= ARGV[1] then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 or left > ${MAX_LEASE_MS} then
    left = ${MAX_LEASE_MS}
    redis.call('PEXPIRE', KEYS[1], left)
  end
  return left
end
if ARGV[2] ~= '' and last == ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
  return last
end
local time = redis.call('TIME')
local fence = tonumber(time[1]) * 1000000 + tonumber(time[2])
if last and tonumber(last) >= fence then fence = tonumber(last) + 1 end
local text = string.format('%.0f', fence)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('HSET', KEYS[2], 'fence', text)
redis.call('PEXPIRE', KEYS[2], ${KEEP_MS})
return text
`,
};

/**
 * Publishes an entry and extends the lease, unless another owner holds the lease or the fence is outdated.
 *
 * Keys: lease, state, stream. Arguments: owner, fence, lease duration in milliseconds, kind and bytes of the
 * entry, channel. Returns 1, or 0 if the fence is outdated.
 */
export const PUBLISH: Script = {
  text: `
local lease = redis.call('GET', KEYS[1])
if lease and lease ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[2], 'fence') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
local id = redis.call('XADD', KEYS[3], 'MAXLEN', ${MAX_ENTRIES}, '*', 'o', ARGV[1], 'k', ARGV[4], 'd', ARGV[5])
if ARGV[4] ~= 'news' then
  local before = redis.call('HGET', KEYS[2], ARGV[4])
  if before and ARGV[4] == 'poll' then redis.call('XDEL', KEYS[3], before) end
  if before and ARGV[4] == 'window' then redis.call('XTRIM', KEYS[3], 'MINID', before) end
  redis.call('HSET', KEYS[2], ARGV[4], id)
end
redis.call('PEXPIRE', KEYS[2], ${KEEP_MS})
redis.call('PEXPIRE', KEYS[3], ${KEEP_MS})
redis.call('PUBLISH', ARGV[6], 'entry')
return 1
`,
};

/**
 * Releases the lease.
 *
 * Keys: lease. Arguments: owner, channel.
 */
export const RELEASE: Script = {
  text: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'free')
return 1
`,
};

/**
 * Reads entries. Omits the content of entries that are too large.
 *
 * Keys: stream. Arguments: the ID after which to begin, the maximum number of entries, the maximum size of
 * one entry in bytes, the maximum total size in bytes. Returns the ID, owner, kind and content of each entry;
 * in place of the content, 0 means that it is too large, and 1 that it is missing.
 */
export const READ: Script = {
  text: `
local found = {}
local size = 0
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])) do
  local fields = {}
  for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
  local data = fields.d or 1
  if data ~= 1 and #data > tonumber(ARGV[3]) then data = 0 end
  if data ~= 1 and data ~= 0 then size = size + #data end
  if size > tonumber(ARGV[4]) and #found > 0 then break end
  local owner = fields.o or ''
  local kind = fields.k or ''
  if #owner > 100 then owner = '' end
  if #kind > 10 then kind = '' end
  table.insert(found, { entry[1], owner, kind, data })
end
return found
`,
};
