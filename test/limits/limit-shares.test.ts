import { expect, test } from "vitest";
import { Rate } from "../../authorization/src/server/rate.ts";
import { Admission } from "../../gateway/src/admission/admission.ts";
import { FairQueue } from "../../gateway/src/admission/fair-queue.ts";
import { HeldBytes } from "../../gateway/src/admission/held-bytes.ts";
import { HeldResponses } from "../../gateway/src/admission/held-responses.ts";
import { Watchers } from "../../gateway/src/admission/watchers.ts";
import { callerKey } from "../../gateway/src/call/caller-key.ts";
import { LIMIT_SHARES } from "../../gateway/src/config/limit-shares.ts";
import { isShared, LIMIT_NAMES, type LimitName, withDefaultLimits } from "../../gateway/src/limits.ts";
import { ClientCounts } from "../../gateway/src/listener/client-counts.ts";

const MIB = 1024 * 1024;
const limits = withDefaultLimits({ queueTimeoutMs: 86_400_000 });

/** Takes one more unit of a limit. Returns whether the caller gets the unit. */
type Take = (caller: string) => boolean | Promise<boolean>;

const ofCounts = (max: number, perClient: number) => (): Take => {
  const counts = new ClientCounts(max, perClient);
  return (caller) => {
    if (counts.excess(caller) !== undefined) return false;
    counts.enter(caller);
    return true;
  };
};

const ofRate = (all: number, perClient: number) => (): Take => {
  const rate = new Rate({ all: () => all, perClient: () => perClient }, () => 0);
  return (caller) => rate.take(caller) === undefined;
};

/**
 * Returns a function that makes endless unary or streaming calls. The calls run, or wait in the queue if
 * `runs` is false.
 */
const ofCalls = (isUnary: boolean, runs: boolean, upstreamCalls: number | undefined) => (): Take => {
  const admission = new Admission(runs ? limits : { ...limits, callsInFlight: 1 }, () => undefined);
  const share = upstreamCalls === undefined ? undefined : { upstream: "u", callsInFlight: upstreamCalls };
  const enter = (client: string) => {
    const call = { client, deadlineAt: Number.MAX_VALUE, share, isUnary };
    const became = { run: false, reject: false };
    const note = (what: "run" | "reject") => () => {
      became[what] = true;
    };
    const leave = admission.enter({ ...call, run: note("run"), reject: note("reject") });
    return { leave, became };
  };
  if (!runs) enter("first");
  return (client) => {
    const { leave, became } = enter(client);
    if (runs && !became.run) leave();
    return runs ? became.run : !became.reject;
  };
};

const shared = LIMIT_NAMES.filter((name) => isShared(name) && !/PerClient$/.test(name));

/** All ways to fill each limit that callers share. */
const WAYS: Partial<Record<LimitName | "upstream.callsInFlight", ReadonlyArray<() => Take>>> = {
  connections: [ofCounts(limits.connections, limits.connectionsPerClient)],
  requestsInFlight: [ofCounts(limits.requestsInFlight, limits.requestsPerClient)],
  healthWatches: [ofCounts(limits.healthWatches, limits.healthWatchesPerClient)],
  callsInFlight: [ofCalls(true, true, undefined), ofCalls(false, true, undefined)],
  "upstream.callsInFlight": [ofCalls(true, true, 1024), ofCalls(false, true, 1024)],
  queuedCalls: [ofCalls(true, false, undefined), ofCalls(false, false, 10)],
  watchers: [
    () => {
      const watchers = new Watchers(limits);
      return (key) => watchers.enter({ key }) === undefined;
    },
  ],
  authorizationRequestsPerMinute: [
    ofRate(limits.authorizationRequestsPerMinute, limits.authorizationRequestsPerClient),
  ],
  registrationsPerMinute: [ofRate(limits.registrationsPerMinute, limits.registrationsPerClient)],
  heldRequestBytes: [true, false].map((arrives) => () => {
    const held = new HeldBytes(limits);
    return (caller: string) => {
      const hold = held.begin(caller);
      if (arrives) hold.arriving(() => undefined);
      try {
        hold.add(MIB);
        return true;
      } catch {
        return false;
      }
    };
  }),
  heldResponseBytes: [
    () => {
      const held = new HeldResponses(limits, () => undefined);
      return (caller) => held.begin(caller, () => undefined).add(MIB) === undefined;
    },
  ],
  queuedDecompressions: [
    () => {
      const queue = new FairQueue(1, limits.queuedDecompressions);
      const { signal } = new AbortController();
      const add = (caller: string) => {
        let isRejected = false;
        const never = () => new Promise(() => undefined);
        queue.run(caller, signal, never).catch(() => {
          isRejected = true;
        });
        return async () => {
          await Promise.resolve();
          await Promise.resolve();
          return !isRejected;
        };
      };
      add("first");
      return (caller) => add(caller)();
    },
  ],
};

/** Returns the number of units that a caller gets, up to `most`. */
async function taken(take: Take, caller: string, most: number): Promise<number> {
  let count = 0;
  while (count < most && (await take(caller))) count += 1;
  return count;
}

const names = Object.keys(WAYS) as Array<keyof typeof WAYS>;

test.each(names)("callers that fill %s in any possible way leave a share for others", async (name) => {
  for (const way of WAYS[name] ?? []) {
    const take = way();
    for (const greedy of ["192.0.2.1", "192.0.2.2"]) await taken(take, greedy, 20_000);
    expect(await taken(take, "192.0.2.9", 3)).toBe(3);
  }
});

/** Limits per address: connections, and requests without a token. */
const BY_ADDRESS: ReadonlySet<string> = new Set<LimitName>([
  "connections",
  "requestsInFlight",
  "authorizationRequestsPerMinute",
  "registrationsPerMinute",
]);

/** Returns the number of units that one person gets with this many clients, each at a separate address. */
async function takenBy(clients: number, take: Take): Promise<number> {
  let count = 0;
  for (let each = 0; each < clients; each += 1) {
    const subject = { clientId: `client-${each}`, person: "blog:ada", scopes: new Set<string>() };
    count += await taken(take, callerKey({ client: `192.0.2.${each}`, subject }), 20_000);
  }
  return count;
}

test.each(names.filter((name) => !BY_ADDRESS.has(name)))(
  "a person with many registered clients gets no more of %s than with one client",
  async (name) => {
    for (const way of WAYS[name] ?? []) expect(await takenBy(5, way())).toBe(await takenBy(1, way()));
  },
);

test("every limit documents who may fill it, and every shared limit is tested", () => {
  expect(Object.keys(LIMIT_SHARES).sort()).toEqual([...LIMIT_NAMES].sort());
  for (const name of shared) expect(names, name).toContain(name);
});
