import type { LimitName } from "../limits.ts";

const QUARTER =
  "One caller gets at most three quarters of the limit, the next caller three quarters of the remainder, and so on. Each caller leaves at least a third of its own part free";
const EACH = "Callers do not share this limit";

function ofCounts(perClient: string): string {
  return `One client can use half of the limit, and after that at most \`${perClient}\`. ${QUARTER}, so a new client always gets a part.`;
}

const PART = "This limit is one client's part of the limit above.";
const CONNECTION = `${EACH}. It applies to each connection.`;
const REQUEST = `${EACH}. It applies to each request or call.`;
const PROCESS = `${EACH}. It applies to the process.`;

/** For each limit, the part that a single client may use, and the part that is reserved for other clients. */
export const LIMIT_SHARES: Readonly<Record<LimitName, string>> = {
  connections: ofCounts("connectionsPerClient"),
  connectionsPerClient: PART,
  requestsInFlight: ofCounts("requestsPerClient"),
  requestsPerClient: PART,
  healthWatches: ofCounts("healthWatchesPerClient"),
  healthWatchesPerClient: PART,
  callsInFlight: `${QUARTER}. Capacity that becomes free goes to the caller with the smallest share.`,
  queuedCalls:
    "One caller can use the whole queue. Callers with fewer waiting calls then replace its newest calls.",
  queueTimeoutMs: REQUEST,
  callsPerClient: "This limit is one caller's part of `callsInFlight` and `queuedCalls`.",
  watchers:
    "One caller can use the whole limit. Callers with less than an equal share then replace its newest streams.",
  watchersPerClient: PART,
  eventLoopDelayMs:
    "One caller can keep the process busy. Calls of all callers are then rejected in proportion to the excess, at most nine in ten.",
  heapPercent:
    "One caller can fill memory up to the `held…Bytes` limits. Calls of all callers are then rejected in proportion to the excess, at most nine in ten.",
  authorizationRequestsPerMinute: `${QUARTER}. The maximum is \`authorizationRequestsPerClient\`.`,
  authorizationRequestsPerClient: PART,
  registrationsPerMinute: `${QUARTER}. The maximum is \`registrationsPerClient\`.`,
  registrationsPerClient: PART,
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
    "One caller can use half of the limit. Two callers can use all of it. When callers holding less memory need room, the unread responses of these two callers are aborted first.",
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
