import type { LimitName } from "../limits.ts";

const QUARTER =
  "One caller gets at most three quarters of the limit, the next caller three quarters of the remainder, and so on, so that part of the limit is always free for a new caller";
const EACH = "Callers do not share this limit";

function ofCounts(perClient: string): string {
  return `One client can use up to half of the limit alone. Once half is in use, \`${perClient}\` applies to each client. ${QUARTER}.`;
}

const CONNECTION = `${EACH}: it applies to each connection separately.`;
const REQUEST = `${EACH}: it applies to each request or call separately.`;
const PROCESS = `${EACH}: it applies to the whole process.`;

/** For each limit, the part that a single client may use, and the part that is reserved for other clients. */
export const LIMIT_SHARES: Readonly<Record<LimitName, string>> = {
  connections: ofCounts("connectionsPerClient"),
  connectionsPerClient: "Each client's share of `connections`.",
  requestsInFlight: ofCounts("requestsPerClient"),
  requestsPerClient: "Each client's share of `requestsInFlight`.",
  healthWatches: ofCounts("healthWatchesPerClient"),
  healthWatchesPerClient: "Each client's share of `healthWatches`.",
  callsInFlight: `${QUARTER}. Capacity that becomes free goes to the caller with the smallest share.`,
  queuedCalls:
    "One caller can use the whole queue. Callers with fewer waiting calls then replace its newest calls.",
  queueTimeoutMs: REQUEST,
  callsPerClient: "Each client's share of `callsInFlight` and `queuedCalls`.",
  watchers:
    "One caller can use the whole limit. Callers with less than an equal share then replace its newest streams.",
  watchersPerClient: "Each client's share of `watchers`.",
  eventLoopDelayMs:
    "One caller can keep the process busy. The gateway then rejects a share of all callers' calls, at most nine in ten; the share grows with the delay.",
  heapPercent:
    "One caller can fill memory up to the `held…Bytes` limits. The gateway then rejects a share of all callers' calls, at most nine in ten; the share grows with the heap in use.",
  authorizationRequestsPerMinute: `${QUARTER}. One client can never make more than \`authorizationRequestsPerClient\` requests.`,
  authorizationRequestsPerClient: "Each client's share of `authorizationRequestsPerMinute`.",
  registrationsPerMinute: `${QUARTER}. One client can never make more than \`registrationsPerClient\` attempts.`,
  registrationsPerClient: "Each client's share of `registrationsPerMinute`.",
  headersTimeoutMs: CONNECTION,
  headerBytes: REQUEST,
  headerCount: REQUEST,
  urlBytes: REQUEST,
  bodyIdleTimeoutMs: REQUEST,
  readMaxBytes: REQUEST,
  writeMaxBytes: REQUEST,
  messageDepth: REQUEST,
  heldRequestBytes: `One caller can use half of the limit. ${QUARTER}. When callers holding less memory need room, the incomplete requests of this caller fail first.`,
  heldResponseBytes:
    "One caller can use half of the limit. Two callers can use all of the limit. When callers holding less memory need room, the unread responses of these two callers are aborted first.",
  queuedDecompressions:
    "One caller can use the whole queue. Callers with fewer waiting messages then replace its newest messages.",
  messageCost: REQUEST,
  unaryDeadlineMs: REQUEST,
  streamDeadlineMs: REQUEST,
  maxDeadlineMs: REQUEST,
  idleTimeoutMs: CONNECTION,
  stalledWriteMs: REQUEST,
  streamsPerConnection: CONNECTION,
  resetsPerSecond: CONNECTION,
  drainNoticeMs: PROCESS,
  drainStreamsMs: PROCESS,
  drainGraceMs: PROCESS,
};
