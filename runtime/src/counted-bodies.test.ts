import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { checkJsonCost, TooCostly } from "connect-rest-codec/internal";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { reasonOf } from "./errors/rest-error.ts";
import { meaningOf } from "./errors/status.ts";
import { discover } from "./oauth/discovery.ts";
import { createRest, type Rest } from "./rest.ts";
import { httpUpstream, type TestServer } from "./testing/servers.ts";
import { downloadAdapter, StreamService, streamService } from "./testing/stream-service.ts";
import { thingAdapter, thingRequest, thingService } from "./testing/thing-service.ts";
import { UPSTREAM_DEFAULTS } from "./upstream/options.ts";

/** JSON whose parsing costs far more than its size suggests. Each function repeats a value. */
const SHAPES: Readonly<Record<string, (times: number) => string>> = {
  "empty objects": (times) => `[${"{},".repeat(times)}{}]`,
  "empty arrays": (times) => `{"errors":[${"[],".repeat(times)}[]]}`,
  "errors without a message": (times) => `{"errors":[${'{"detail":""},'.repeat(times)}{}]}`,
  "details of a status": (times) => `{"error":{"code":5,"details":[${"{},".repeat(times)}{}]}}`,
  "a title after objects": (times) => `{"x":[${"{},".repeat(times)}{}],"title":"a problem"}`,
  "large exponents": (times) => `{"error":"x","n":[${"1e999,".repeat(times)}1]}`,
  "long numbers": (times) => `[${"9007199254740993,".repeat(times)}1]`,
  "arrays in arrays": (times) => "[".repeat(times) + "]".repeat(times),
  "objects in objects": (times) => `${'{"a":'.repeat(times)}1${"}".repeat(times)}`,
  "distinct keys": (times) =>
    `{${Array.from({ length: Math.min(times, 100_000) }, (_, index) => `"k${index}":1`).join()}}`,
  "spaces and an object": (times) => `${" ".repeat(times)}{}`,
};
const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes, { params: { 1: 1 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
};
const TYPES = ["application/json", "application/problem+json", "text/plain", "text/html", ""];
const STATUSES = [400, 404, 409, 418, 422, 429, 500, 501, 502, 503, 504];

/** The maximum cost of any single JSON.parse: the maximum cost of a response, which is an option. */
const MAX_RESPONSE_COST = UPSTREAM_DEFAULTS.maxResponseCost;
/** The maximum cost of JSON other than responses, about a tenth of the maximum for responses. */
const MAX_SMALL_COST = 200_000;

let answer = { status: 200, headers: {} as Record<string, string>, body: Buffer.alloc(0) as Uint8Array };
let server: TestServer;
let plain: Rest;

beforeAll(async () => {
  server = await httpUpstream((request, response) => {
    request.resume().on("end", () => response.writeHead(answer.status, answer.headers).end(answer.body));
  });
  plain = createRest({
    adapters: [thingService(), streamService("download", downloadAdapter())],
    upstreams: { things: { baseUrl: server.url, ...once } },
  });
});
afterAll(async () => {
  await plain.close();
  await server[Symbol.asyncDispose]();
});

const once = { retry: false, breaker: false } as const;
const OAUTH2 = { credentials: ["oauth2"] } as const;
const grant = (url: string) => ({
  oauth2: { tokenUrl: `${url}/token`, clientId: "me", clientSecret: "hush" },
});

/** A place that parses response bodies, and the maximum cost of the JSON that it parses. */
interface Place {
  readonly read: () => Promise<unknown>;
  readonly maxCost: number;
  readonly codeOf: (status: number) => Code | undefined;
}

const ofStatus = (status: number) => meaningOf(status).code;
const PLACES: Readonly<Record<string, Place>> = {
  "an error": {
    read: () => plain.call(thingAdapter(), thingRequest({ name: "a" })),
    maxCost: MAX_SMALL_COST,
    codeOf: ofStatus,
  },
  "an error of a stream": {
    read: async () => {
      for await (const _ of createClient(StreamService, plain.transport).download({}));
    },
    maxCost: MAX_SMALL_COST,
    codeOf: ofStatus,
  },
  "a token endpoint": {
    // a new client for each body, since token failures are remembered for a while
    read: async () => {
      const rest = createRest({
        adapters: [thingService({ rules: OAUTH2 })],
        upstreams: { things: { baseUrl: server.url, credentials: grant(server.url), ...once } },
      });
      try {
        return await rest.call(thingAdapter({ rules: OAUTH2 }), thingRequest({ name: "a" }));
      } finally {
        await rest.close();
      }
    },
    maxCost: MAX_SMALL_COST,
    codeOf: () => undefined,
  },
  "metadata of an authorization server": {
    read: () => discover(server.url),
    maxCost: MAX_SMALL_COST,
    codeOf: () => undefined,
  },
};

const parse = vi.spyOn(JSON, "parse");
beforeEach(() => void parse.mockClear());

/** Returns the JSON texts that were parsed although they exceed the maximum cost. */
function tooCostlyTexts(maxCost: number): string[] {
  const texts = parse.mock.calls.map(([text]) => String(text));
  return texts
    .filter((text) => isTooCostly(text, maxCost))
    .map((text) => `${text.length} characters: ${text.slice(0, 40)}`);
}

function isTooCostly(text: string, maxCost: number): boolean {
  try {
    // short texts are not checked, so the text is padded
    checkJsonCost(text.padEnd(maxCost), maxCost);
    return false;
  } catch (error) {
    if (error instanceof TooCostly) return true;
    throw error;
  }
}

const bodies = fc.record({
  shape: fc.constantFrom(...Object.keys(SHAPES)),
  coding: fc.constantFrom(...Object.keys(CODINGS)),
  times: fc.oneof(
    fc.constantFrom(5_000_000, 1_000_000),
    fc.integer({ min: 10_000, max: 300_000 }),
    // sizes that no size limit rejects
    fc.integer({ min: 26_000, max: 42_000 }),
  ),
  type: fc.constantFrom(...TYPES),
  status: fc.constantFrom(...STATUSES),
});

test.each(Object.keys(PLACES))(
  "property: JSON of %s that exceeds the maximum cost is not parsed, and the status determines the error code",
  async (name) => {
    const { read, maxCost, codeOf } = PLACES[name] as Place;
    await fc.assert(
      fc.asyncProperty(bodies, async ({ shape, coding, times, type, status }) => {
        const json = Buffer.from(SHAPES[shape]?.(times) ?? "");
        answer = {
          status: name.startsWith("an error") ? status : ([200, status][times % 2] ?? status),
          headers: { "content-encoding": coding, ...(type !== "" && { "content-type": type }) },
          body: CODINGS[coding]?.(json) ?? json,
        };
        parse.mockClear();
        const error = await read().catch((thrown: unknown) => thrown);
        expect(tooCostlyTexts(maxCost)).toEqual([]);
        const code = codeOf(status);
        // if the google.rpc.Status in the body is decoded, its code applies
        if (code !== undefined && !(shape === "details of a status" && times < MAX_SMALL_COST)) {
          expect([status, Code[ConnectError.from(error).code]]).toEqual([status, Code[code]]);
        }
      }),
      { numRuns: 40, interruptAfterTimeLimit: 20_000 },
    );
  },
  60_000,
);

test("a response that exceeds maxResponseCost fails with an error that names the limit", async () => {
  for (const [shape, make] of Object.entries(SHAPES)) {
    const text = make(400_000);
    answer = { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(text) };
    parse.mockClear();
    const call = plain.call(thingAdapter(), thingRequest({ name: "a" }));
    const error = await call.catch((thrown: unknown) => thrown);
    expect([shape, tooCostlyTexts(MAX_RESPONSE_COST)]).toEqual([shape, []]);
    const isRejected = reasonOf(ConnectError.from(error)) === "UPSTREAM_BODY_TOO_COSTLY";
    expect([shape, isRejected]).toEqual([shape, isTooCostly(text, MAX_RESPONSE_COST)]);
  }
});
