import type { LimitName } from "../limits.ts";

const QUARTER =
  "One caller fills three quarters at most, the next one three quarters of the rest, and so on: each leaves a third of what it holds";
const EACH = "No caller fills it for others";

function ofCounts(perClient: string): string {
  return `One client fills half, and then no more than \`${perClient}\`. ${QUARTER}, so that a further client still gets some.`;
}

const PART = "A client's part of the limit before it.";
const CONNECTION = `${EACH}: each connection has its own.`;
const REQUEST = `${EACH}: each request or call has its own.`;
const PROCESS = `${EACH}: it is a time of the process.`;

/** For each limit, the part that a single client may use, and the part reserved for others. */
export const LIMIT_SHARES: Readonly<Record<LimitName, string>> = {
  connections: ofCounts("connectionsPerClient"),
  connectionsPerClient: PART,
  requestsInFlight: ofCounts("requestsPerClient"),
  requestsPerClient: PART,
  healthWatches: ofCounts("healthWatchesPerClient"),
  healthWatchesPerClient: PART,
  callsInFlight: `${QUARTER}. What becomes free goes to the caller with the smallest share.`,
  queuedCalls: "One caller fills all of it, and loses its newest calls to callers that have fewer waiting.",
  queueTimeoutMs: REQUEST,
  callsPerClient: "A caller's part of the two limits before it.",
  watchers:
    "One caller fills all of it, and loses its newest streams to callers that have less than an equal part.",
  watchersPerClient: PART,
  eventLoopDelayMs:
    "A caller that keeps the process busy. Calls of all are rejected in proportion to the excess, at most nine of ten.",
  heapPercent:
    "A caller that fills the memory, which `held…Bytes` limit. Calls of all are rejected in proportion to the excess, at most nine of ten.",
  authorizationRequestsPerMinute: `${QUARTER}, and no more than \`authorizationRequestsPerClient\`.`,
  authorizationRequestsPerClient: PART,
  registrationsPerMinute: `${QUARTER}, and no more than \`registrationsPerClient\`.`,
  registrationsPerClient: PART,
  headersTimeoutMs: CONNECTION,
  headerBytes: REQUEST,
  headerCount: REQUEST,
  urlBytes: REQUEST,
  bodyIdleTimeoutMs: REQUEST,
  readMaxBytes: REQUEST,
  writeMaxBytes: REQUEST,
  messageDepth: REQUEST,
  heldRequestBytes: `One caller fills half. ${QUARTER}, and loses requests that are still arriving to callers that hold less.`,
  heldResponseBytes:
    "One caller fills half; all of it is filled by two, which lose responses that are not read to callers that hold less.",
  queuedDecompressions:
    "One caller fills all of it, and loses its newest messages to callers that have fewer waiting.",
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
