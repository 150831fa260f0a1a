import type { RequestListener } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DescMethodStreaming } from "@bufbuild/protobuf";
import { Code, createClient, createRouterTransport, type Transport } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { records } from "../adapter/adapter.ts";
import { createRest, type Rest, restRoutes } from "../rest.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { httpUpstream, type TestServer } from "../testing/servers.ts";
import {
  downloadAdapter,
  ItemTable,
  listAdapter,
  StreamService,
  streamService,
  uploadAdapter,
  watchAdapter,
} from "../testing/stream-service.ts";
import { PLAIN_RULES, ThingService, thingService } from "../testing/thing-service.ts";
import type { CallReport, RestOptions } from "./options.ts";

const OPEN: Rest[] = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const rest of OPEN.splice(0)) await rest.close();
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
});

type Kind = "unary" | "paginate" | "poll" | "records" | "download" | "upload";

const byOffset = {
  kind: "step",
  by: "items",
  advance: (message: object, by: number) => ({ ...message, offset: by }),
} as never;
const recordsAdapter = records(StreamService.method.watch, {
  rules: PLAIN_RULES,
  request: watchAdapter().request,
  format: "lines",
  item: ItemTable,
});
const ADAPTERS: Readonly<Record<Exclude<Kind, "unary">, readonly [name: string, adapter: AnyMethodAdapter]>> =
  {
    paginate: ["list", listAdapter(byOffset)],
    poll: ["watch", watchAdapter()],
    records: ["watch", recordsAdapter],
    download: ["download", downloadAdapter()],
    upload: ["upload", uploadAdapter()],
  };
const BODIES: Readonly<Record<Kind, string>> = {
  unary: "{}",
  paginate: '{"posts":[{"id":1},{"id":2}]}',
  poll: '[{"id":2},{"id":1}]',
  records: '{"id":1}\n{"id":2}\n',
  download: "x".repeat(200_000),
  upload: "{}",
};

/** A caller's abort signal, and a signal for the moment at which the upstream is called. */
interface Caller {
  readonly controller: AbortController;
  readonly clock: FakeClock;
  readonly asked: Promise<void>;
  readonly timeoutMs?: number;
}

async function* onlyMessage() {
  yield {};
}

async function* chunksOf() {
  yield { chunk: Buffer.from("a") };
}

/** Reads messages until `upTo` messages have arrived. */
async function call(
  kind: Kind,
  transport: Transport,
  { controller, timeoutMs }: Caller,
  upTo: number,
): Promise<void> {
  const options = { signal: controller.signal, ...(timeoutMs !== undefined && { timeoutMs }) };
  if (kind === "unary") {
    await createClient(ThingService, transport).getThing({ name: "a" }, options);
    return;
  }
  const client = createClient(StreamService, transport);
  if (kind === "upload") {
    await client.upload(chunksOf(), options);
    return;
  }
  const [name] = ADAPTERS[kind];
  let messages = 0;
  for await (const _message of client[name as "list"]({}, options)) if (++messages >= upTo) break;
}

const whole =
  (kind: Kind): RequestListener =>
  (_request, response) =>
    response.end(kind === "paginate" && _request.url?.includes("offset") ? '{"posts":[]}' : BODIES[kind]);
const silent = (): RequestListener => () => undefined;
const failing = (): RequestListener => (_request, response) => response.writeHead(404).end();
const broken = (): RequestListener => (request) => request.socket.destroy();

interface End {
  readonly upstream: (kind: Kind) => RequestListener;
  readonly run: (kind: Kind, transport: Transport, caller: Caller) => Promise<void>;
  /** The expected code. Undefined means success. */
  readonly code: Code | undefined;
  readonly kinds?: readonly Kind[];
  readonly timeoutMs?: number;
  readonly options?: Partial<RestOptions>;
}

const KINDS: readonly Kind[] = ["unary", "paginate", "poll", "records", "download", "upload"];
const STREAMS: readonly Kind[] = ["paginate", "poll", "records", "download"];
const toTheEnd = (kind: Kind, transport: Transport, caller: Caller) =>
  call(kind, transport, caller, Number.POSITIVE_INFINITY);

const ENDS: Readonly<Record<string, End>> = {
  completion: {
    upstream: whole,
    run: toTheEnd,
    code: undefined,
    kinds: ["unary", "paginate", "records", "download", "upload"],
  },
  "an error response": { upstream: failing, run: toTheEnd, code: Code.NotFound },
  "a broken connection": {
    upstream: broken,
    run: toTheEnd,
    code: Code.Unavailable,
    kinds: ["unary", "paginate", "records", "download", "upload"],
    options: { upstreams: {} },
  },
  "a caller that leaves the loop": {
    upstream: whole,
    run: async (kind, transport) => {
      const [, { method }] = ADAPTERS[kind as Exclude<Kind, "unary">];
      const response = await transport.stream(
        method as DescMethodStreaming,
        undefined,
        undefined,
        undefined,
        onlyMessage(),
      );
      for await (const _message of response.message) break;
    },
    code: Code.Canceled,
    kinds: STREAMS,
  },
  "an abort before it begins": {
    upstream: whole,
    run: (kind, transport, caller) => {
      caller.controller.abort();
      return toTheEnd(kind, transport, caller);
    },
    code: Code.Canceled,
  },
  "an abort while it waits for the upstream": {
    upstream: silent,
    run: async (kind, transport, caller) => {
      const running = toTheEnd(kind, transport, caller);
      await caller.asked;
      caller.controller.abort();
      await running;
    },
    code: Code.Canceled,
  },
  "an abort between two messages": {
    upstream: whole,
    run: async (kind, transport, caller) => {
      const [name] = ADAPTERS[kind as Exclude<Kind, "unary">];
      const client = createClient(StreamService, transport);
      const messages = client[name as "list"]({}, { signal: caller.controller.signal });
      await messages[Symbol.asyncIterator]().next();
      caller.controller.abort();
    },
    code: Code.Canceled,
    kinds: STREAMS,
  },
  "its deadline": {
    upstream: silent,
    run: async (kind, transport, caller) => {
      const running = toTheEnd(kind, transport, caller);
      await caller.asked;
      caller.clock.advance(1_000);
      await running;
    },
    code: Code.DeadlineExceeded,
    timeoutMs: 1_000,
  },
  "its deadline, between two messages": {
    upstream: whole,
    run: async (kind, transport, caller) => {
      const [name] = ADAPTERS[kind as Exclude<Kind, "unary">];
      const client = createClient(StreamService, transport);
      const messages = client[name as "list"]({}, { timeoutMs: 1_000 });
      await messages[Symbol.asyncIterator]().next();
      caller.clock.advance(1_000);
    },
    code: Code.DeadlineExceeded,
    kinds: STREAMS,
  },
};

const CASES = Object.entries(ENDS).flatMap(([name, end]) =>
  (end.kinds ?? KINDS).map((kind) => [kind, name, end] as const),
);

async function started(kind: Kind, end: End) {
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const listener = end.upstream(kind);
  const server = await httpUpstream((request, response) => {
    request.resume();
    listener(request, response);
    ask();
  });
  SERVERS.push(server);
  const clock = new FakeClock();
  const reports: CallReport[] = [];
  let report: () => void = () => undefined;
  const reported = new Promise<void>((resolve) => {
    report = resolve;
  });
  const rest = createRest({
    adapters: [kind === "unary" ? thingService() : streamService(...ADAPTERS[kind])],
    upstreams: { things: { baseUrl: server.url, retry: false } },
    clock,
    onCall: (each) => {
      reports.push(each);
      report();
    },
  });
  OPEN.push(rest);
  const { timeoutMs } = end;
  const caller: Caller = {
    controller: new AbortController(),
    clock,
    asked,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return { rest, reports, reported, caller };
}

async function reportsOf(kind: Kind, end: End, transportOf: (rest: Rest) => Transport) {
  const { rest, reports, reported, caller } = await started(kind, end);
  await end.run(kind, transportOf(rest), caller).catch(() => undefined);
  await reported;
  // waits for requests in progress, which could cause a second report
  await rest.close();
  return reports.map(({ error }) => error?.code);
}

test.each(CASES)("a call of kind %s that ends by %s is reported exactly once", async (kind, _name, end) => {
  expect(await reportsOf(kind, end, ({ transport }) => transport)).toEqual([end.code]);
});

test.each(STREAMS)(
  "a call of kind %s whose client stops reading early is reported once its messages can no longer be read",
  async (kind) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { rest, reports, caller } = await started(kind, {
      upstream: whole,
      run: toTheEnd,
      code: undefined,
    });
    await call(kind, rest.transport, caller, 1);
    for (let turn = 0; reports.length === 0 && turn < 1_000; turn++) {
      collect();
      await new Promise(setImmediate);
    }
    expect(reports.map(({ error }) => error?.code)).toEqual([Code.Canceled]);
  },
);

/**
 * With a server, a call that is aborted before it begins never arrives, and the clock of the server
 * determines deadlines.
 */
const SERVED = CASES.filter(
  ([, name]) => !/^(?:its deadline|an abort before it begins|a caller that leaves)/.test(name),
);

test.each(SERVED)(
  "a served call of kind %s that ends by %s is reported exactly once",
  async (kind, _name, end) => {
    const codes = await reportsOf(kind, end, (rest) => createRouterTransport(restRoutes(rest)));
    expect(codes).toEqual([end.code]);
  },
);

test("a stream that is aborted between two messages throws the reason at the next read", async () => {
  const { rest, caller } = await started("paginate", ENDS["an abort between two messages"] as End);
  const client = createClient(StreamService, rest.transport);
  const messages = client.list({}, { signal: caller.controller.signal })[Symbol.asyncIterator]();
  await messages.next();
  caller.controller.abort();
  await expect(messages.next()).rejects.toMatchObject({ code: Code.Canceled });
});

test("a stream without a request message fails and is reported", async () => {
  const { rest, reports, reported } = await started("paginate", ENDS.completion as End);
  async function* nothing() {}
  const method = StreamService.method.list;
  const call = rest.transport.stream(
    method as DescMethodStreaming,
    undefined,
    undefined,
    undefined,
    nothing(),
  );
  await expect(call).rejects.toMatchObject({ code: Code.InvalidArgument });
  await reported;
  expect(reports).toHaveLength(1);
});
