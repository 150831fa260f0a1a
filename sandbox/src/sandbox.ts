import type { IncomingMessage } from "node:http";
import { Clock } from "./clock.ts";
import { dispatch } from "./dispatch/dispatch.ts";
import { feedControl, type SandboxEvents, setSource } from "./events/control.ts";
import type { EventSourceOptions } from "./events/source.ts";
import { type Fault, type FaultOptions, FaultQueue } from "./http/faults.ts";
import { ReceivedList } from "./http/received.ts";
import { listen, type TlsFiles } from "./http/server.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { RateMeter } from "./rate.ts";
import { service } from "./routes.ts";
import { CREDENTIALS, type Credentials } from "./seed/credentials.ts";
import { EPOCH } from "./seed/epoch.ts";
import { reseed, seed, seededAt } from "./seed/index.ts";
import { Database } from "./store/database.ts";
import type { Rules, World } from "./world.ts";

export interface SandboxOptions extends Partial<Rules> {
  /** The port on which to listen. Default: 0, which means any free port. */
  readonly port?: number;
  /** The address on which to listen. Default: `127.0.0.1`. */
  readonly host?: string;
  /** The certificate and key (PEM) with which the same port also accepts HTTPS. Default: only HTTP. */
  readonly tls?: TlsFiles;
  /** The SQLite file for the state. Existing state is kept. Default: the state is in memory. */
  readonly database?: string;
  /**
   * The time at which the clock is stopped, in milliseconds since 1970. Default: the clock follows the
   * system time.
   */
  readonly clock?: number;
  /** The options for generated events of the feed. Default: no generated events. */
  readonly events?: EventSourceOptions;
  /** Limits that replace the defaults. */
  readonly limits?: Partial<Limits>;
  /** The number of newest requests that `received` keeps. Default: 1000. */
  readonly keepRequests?: number;
  /** The number of bytes kept of each received body. Default: 1 MiB. */
  readonly keepBodyBytes?: number;
}

/** A running sandbox. */
export interface Sandbox {
  /** The base address of the blogging service, for its API and its web pages: `http://host:port`. */
  readonly url: string;
  /** The base address with `https:`, if a certificate was given. */
  readonly httpsUrl: string | undefined;
  /** The base address of the event feed, on the same port. */
  readonly feedUrl: string;
  /** The clock of the sandbox, which tests can set. */
  readonly clock: Clock;
  readonly credentials: Credentials;
  /** The received requests, oldest first. */
  readonly received: ReceivedList;
  /** The enforced limits. They may be changed at any time. */
  readonly limits: Limits;
  /** The rules of the blogging service. They may be changed at any time. */
  readonly rules: Rules;
  /** Queues a fault for the next response, or for the next matching response. */
  next(fault: Fault, options?: FaultOptions): void;
  /** The number of queued faults that are not used up. */
  readonly pendingFaults: number;
  /** Drops all queued faults. */
  clearFaults(): void;
  /** Resets the counts of all rate limits. */
  clearRates(): void;
  /**
   * Restores the seeded state: data, faults, received requests and rates. Does not change the rules, the
   * limits or the clock. The events of `options.events` start again.
   */
  reset(): void;
  /** Controls the event feed. */
  readonly events: SandboxEvents;
  /**
   * Stops listening, and drops all connections. With `graceMs`, responses in progress may finish within that
   * time.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Returns the origin of a public address. Rejects an address with a path, a query or credentials, because the
 * paths of the sandbox cannot be appended to it.
 */
function publicOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Error(`invalid public URL, expected https://host[:port]: ${text}`);
  }
  return url.origin;
}

function rulesOf(options: SandboxOptions): Rules {
  return {
    requireUserAgent: options.requireUserAgent ?? true,
    requireHttps: options.requireHttps ?? false,
    publicUrl: options.publicUrl === undefined ? undefined : publicOrigin(options.publicUrl),
    postingDisabled: options.postingDisabled ?? false,
    communitySavingFails: options.communitySavingFails ?? false,
    carouselsAllowed: options.carouselsAllowed ?? true,
    authorizeAs: options.authorizeAs,
    redirectUris: options.redirectUris ?? [],
    callbackFragment: options.callbackFragment ?? true,
  };
}

function makeWorld(options: SandboxOptions): World {
  const clock = new Clock(options.clock);
  const db = new Database(options.database ?? ":memory:");
  seed(db, clock.seconds());
  return {
    db,
    clock,
    limits: { ...LIMITS, ...options.limits },
    meter: new RateMeter(clock),
    rules: rulesOf(options),
    feed: {
      pollInterval: 60,
      quotaStatus: 403,
      rejections: [],
      now: () => EPOCH + clock.seconds() - seededAt(db),
      catchUp: () => undefined,
    },
  };
}

/** Starts the blogging service and the event feed on one port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const world = makeWorld(options);
  setSource(world, options.events);
  const events = feedControl(world);
  const host = options.host ?? "127.0.0.1";
  const faults = new FaultQueue();
  const received = new ReceivedList(options.keepRequests ?? 1000, options.keepBodyBytes ?? 1024 * 1024);
  const respond = (request: IncomingMessage) => dispatch(world, service, request);
  const parts = { respond, now: () => world.clock.now(), faults, received };
  const server = await listen(parts, host, options.port ?? 0, options.tls);
  const { url } = server;
  let closing: Promise<void> | undefined;
  const stop = async (graceMs: number) => {
    await server.close(graceMs);
    world.db.close();
  };
  return {
    url,
    httpsUrl: options.tls && url.replace("http:", "https:"),
    feedUrl: `${url}/feed`,
    clock: world.clock,
    credentials: CREDENTIALS,
    received,
    limits: world.limits,
    rules: world.rules,
    next: (fault, options) => faults.add(fault, options),
    get pendingFaults() {
      return faults.pending;
    },
    clearFaults: () => faults.clear(),
    clearRates: () => world.meter.clear(),
    reset: () => {
      reseed(world.db, world.clock.seconds());
      faults.clear();
      received.clear();
      world.meter.clear();
      events.recover();
      setSource(world, options.events);
    },
    events,
    close: (graceMs = 0) => {
      closing ??= stop(graceMs);
      return closing;
    },
  };
}
