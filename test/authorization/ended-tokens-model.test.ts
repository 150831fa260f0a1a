/** Tests streams against a model, while tokens end, streams start and end, and stores fail, in any order. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createResourceServer } from "../../authorization/src/resource/resource-server.ts";
import { Tokens } from "../../authorization/src/resource/tokens.ts";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { StoreError } from "../../authorization/src/store/store-error.ts";
import { AuthorizedStreams } from "../../gateway/src/authorization/authorized-streams.ts";
import type { Call } from "../../gateway/src/call/call.ts";
import { gatewayError } from "../../gateway/src/call/gateway-error.ts";
import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { hashOf } from "../../runtime/src/text/hash.ts";

const ENDED_WITHIN_MS = 5000;
const LIFE_MS = 60_000;
const { echo, repeat, join } = EchoService.method;
/** The method that stands in for Watch. */
const WATCH = repeat;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A token in the model. */
interface ModelToken {
  readonly text: string;
  readonly grant: string | undefined;
  readonly session: string | undefined;
  readonly expiresAt: number;
  isRevoked: boolean;
}

interface ModelStream {
  readonly token: ModelToken;
  readonly kind: "watch" | "upload" | "unary";
  readonly process: Process;
  readonly call: Call;
  stops: string[];
  isOver: boolean;
}

/** A replica. */
class Process {
  readonly errors: unknown[] = [];
  private readonly server: ReturnType<typeof createResourceServer>;
  readonly streams: AuthorizedStreams;

  constructor(store: SqliteStore) {
    const tokens = new Tokens({
      store,
      audiences: ["https://gateway.test"],
      sessions: undefined,
      now: Date.now,
    });
    this.server = createResourceServer({
      publicUrl: "https://gateway.test",
      toolsPath: undefined,
      tokens,
      scopes: { names: ["all"], needOf: () => undefined },
      isOpen: () => false,
      needsPerson: () => false,
      error: (reason, text, code) => gatewayError(reason, text, code),
      onChecked: () => undefined,
      onError: (error) => this.errors.push(error),
    });
    this.streams = new AuthorizedStreams({
      ended: this.server.ended,
      isEndless: (method) => method === WATCH,
      onError: (error) => this.errors.push(error),
    });
  }

  async authenticate(token: string) {
    const request = { url: "/", headers: { authorization: `Bearer ${token}` }, rawHeaders: [] };
    const found = await this.server.authenticate(request, echo);
    return found !== undefined && "error" in found ? undefined : found;
  }
}

class World {
  private isDown = false;
  readonly store = new SqliteStore({ file: ":memory:" });
  readonly processes: readonly Process[];
  readonly tokens: ModelToken[] = [];
  readonly streams: ModelStream[] = [];
  private count = 0;

  constructor() {
    const { existing } = this.store;
    this.store.existing = (...given) =>
      this.isDown
        ? Promise.reject(new StoreError("unreachable", "it is down"))
        : existing.apply(this.store, given);
    this.processes = [new Process(this.store), new Process(this.store)];
  }

  async issue(isOfPerson: boolean): Promise<void> {
    this.count += 1;
    const text = String(this.count).padStart(43, "a");
    const grant = isOfPerson ? `grant-${this.count}` : undefined;
    const session = isOfPerson ? `session-${this.count % 2}` : undefined;
    const token = { text, grant, session, expiresAt: Date.now() + LIFE_MS, isRevoked: false };
    const payload = { clientId: "c", accountId: "p", aud: "https://gateway.test", scope: "all" };
    const owner = { ...(grant && { grant }), ...(session && { session }) };
    if (grant !== undefined) {
      await this.store.put("Grant", grant, { value: "{}", expiresAt: Date.now() + 1e9, ...owner });
    }
    const value = JSON.stringify({ payload });
    await this.store.put("AccessToken", hashOf(text), { value, expiresAt: token.expiresAt, ...owner });
    this.tokens.push(token);
  }

  async open(index: number, kind: ModelStream["kind"], at: number): Promise<void> {
    const token = this.tokens[index % this.tokens.length];
    const process = this.processes[at];
    if (token === undefined || process === undefined) return;
    const subject = await process.authenticate(token.text);
    if (subject === undefined) return;
    const stream: ModelStream = { token, kind, process, call: {} as Call, stops: [], isOver: false };
    const stop = (error: Error) => {
      stream.stops.push(error.message);
      this.close(stream);
    };
    const method = { watch: WATCH, upload: join, unary: echo }[kind];
    Object.assign(stream.call, { subject, method, running: { stop } });
    process.streams.enter(stream.call);
    this.streams.push(stream);
  }

  close(stream: ModelStream): void {
    stream.isOver = true;
    stream.process.streams.leave(stream.call);
  }

  async revoke(index: number, by: "token" | "grant" | "session"): Promise<void> {
    const token = this.tokens[index % this.tokens.length];
    if (token === undefined) return;
    const { grant, session } = token;
    if (by === "session" && session !== undefined) {
      await this.store.deleteBy({ session });
      for (const each of this.tokens) if (each.session === session) each.isRevoked = true;
    } else if (grant !== undefined) {
      await this.store.deleteBy({ grant });
      token.isRevoked = true;
    } else if (token.expiresAt > Date.now()) {
      await this.store.delete("AccessToken", hashOf(token.text));
      token.isRevoked = true;
    }
  }

  async fail(ms: number): Promise<void> {
    this.isDown = true;
    await vi.advanceTimersByTimeAsync(ms);
    this.isDown = false;
  }

  /** Checks each stream against the model, after changes have had time to take effect. */
  async settle(): Promise<void> {
    await vi.advanceTimersByTimeAsync(ENDED_WITHIN_MS);
    for (const { token, kind, stops, isOver } of this.streams) {
      const why = token.isRevoked ? /revoked/ : /expired/;
      const isExpired = token.expiresAt <= Date.now();
      const mustEnd = kind !== "unary" && (token.isRevoked || (isExpired && kind === "watch"));
      if (mustEnd) expect(isOver).toBe(true);
      if (!mustEnd) expect(stops).toEqual([]);
      // If a token expired before its revocation, the expiry is the reason.
      for (const text of stops) expect(text).toMatch(isExpired ? /expired|revoked/ : why);
      expect(stops.length).toBeLessThanOrEqual(1);
    }
  }
}

type Step = (world: World) => Promise<void>;
const index = fc.nat(9);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.boolean().map(
      (isOfPerson): Step =>
        (world) =>
          world.issue(isOfPerson),
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(index, fc.constantFrom("watch" as const, "upload" as const, "unary" as const), fc.nat(1))
      .map(
        (given): Step =>
          (world) =>
            world.open(...given),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(index, fc.constantFrom("token" as const, "grant" as const, "session" as const)).map(
      (given): Step =>
        (world) =>
          world.revoke(...given),
    ),
  },
  fc.nat(40_000).map(
    (ms): Step =>
      async () =>
        void (await vi.advanceTimersByTimeAsync(ms)),
  ),
  fc.nat(4000).map(
    (ms): Step =>
      (world) =>
        world.fail(ms),
  ),
  fc.constant<Step>(async ({ store }) => void (await store.deleteExpired())),
  index.map(
    (at): Step =>
      async (world) => {
        const stream = world.streams[at];
        if (stream !== undefined) world.close(stream);
      },
  ),
  fc.constant<Step>((world) => world.settle()),
);

test("property: for any order of events, the streams of ended tokens end within 5 s, and no others", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (drawn) => {
      const world = new World();
      await world.issue(true);
      for (const step of drawn) await step(world);
      await world.settle();
      for (const stream of world.streams) world.close(stream);
      expect(vi.getTimerCount()).toBe(0);
      await world.store.close();
    }),
    { numRuns: 300 },
  );
});

test("ten thousand streams of a revoked token end in small groups", async () => {
  const world = new World();
  await world.issue(true);
  for (let count = 0; count < 10_000; count += 1) await world.open(0, "watch", 0);
  await world.revoke(0, "grant");
  let before = 0;
  for (let elapsed = 0; elapsed < ENDED_WITHIN_MS; elapsed += 50) {
    await vi.advanceTimersByTimeAsync(50);
    const ended = world.streams.filter(({ isOver }) => isOver).length;
    expect(ended - before).toBeLessThanOrEqual(500);
    before = ended;
  }
  expect(before).toBe(10_000);
});

test("each outage of the store is reported only once, and during an outage only expired tokens end their streams", async () => {
  const world = new World();
  await world.issue(true);
  await world.open(0, "upload", 0);
  await world.fail(ENDED_WITHIN_MS);
  await world.fail(ENDED_WITHIN_MS);
  expect(world.processes[0]?.errors).toHaveLength(1);
  await world.settle();
  await world.open(0, "watch", 0);
  await world.fail(LIFE_MS);
  expect(world.processes[0]?.errors).toHaveLength(2);
  expect(world.streams.map(({ isOver }) => isOver)).toEqual([false, true]);
  for (const stream of world.streams) world.close(stream);
});
