import { expect, test } from "vitest";
import { failureOf } from "../testing/failure.ts";
import { VERSION } from "../version.ts";
import { baseOf, resolveOptions, UPSTREAM_DEFAULTS, type UpstreamOptions } from "./options.ts";

const BASE_URL = "https://api.example.test";

test("every limit of an upstream has a finite default", () => {
  const { bases, otherBase, credentials, maxDownloadBytes, proxyOf, ...settings } = resolveOptions("x", {
    baseUrl: BASE_URL,
  });
  expect(settings).toEqual(UPSTREAM_DEFAULTS);
  expect(proxyOf(BASE_URL)).toBeUndefined();
  for (const value of [settings, settings.retry ?? {}, settings.breaker ?? {}].flatMap(Object.values)) {
    if (typeof value === "number") expect(value).toBeLessThan(2 ** 31);
  }
  expect(settings.userAgent).toBe(`connect-rest-runtime/${VERSION}`);
  expect(credentials).toEqual({});
  expect([...bases]).toEqual([["", { origin: BASE_URL, prefix: "" }]]);
  expect(otherBase).toEqual({ origin: BASE_URL, prefix: "" });
  expect(maxDownloadBytes).toBe(Number.POSITIVE_INFINITY);
});

test("baseUrl serves only base names without their own address", () => {
  const web = "http://www.example.test";
  const both = resolveOptions("x", { baseUrl: BASE_URL, bases: { web } });
  expect(["", "api", "web"].map((name) => baseOf(both, name)?.origin)).toEqual([BASE_URL, BASE_URL, web]);
  const named = resolveOptions("x", { bases: { web } });
  expect(["", "web", "api"].map((name) => baseOf(named, name)?.origin)).toEqual([web, web, undefined]);
});

test("without a baseUrl, the first named base address is the default", () => {
  const bases = { api: "https://API.example.test:443/v2/", web: "http://www.example.test:8080" };
  const api = { origin: BASE_URL, prefix: "/v2" };
  const web = { origin: "http://www.example.test:8080", prefix: "" };
  expect([...resolveOptions("x", { bases }).bases]).toEqual([
    ["", api],
    ["api", api],
    ["web", web],
  ]);
  expect(resolveOptions("x", { bases, baseUrl: "http://a.test/p" }).bases.get("")?.prefix).toBe("/p");
});

test("the options of an upstream can disable retries, the breaker and known limits, or change parts of them", () => {
  const off = resolveOptions("x", { baseUrl: BASE_URL, retry: false, breaker: false, rateLimits: false });
  expect([off.retry, off.breaker, off.rateLimits]).toEqual([undefined, undefined, undefined]);
  const some = resolveOptions("x", {
    baseUrl: BASE_URL,
    retry: { attempts: 1, budget: 1 },
    breaker: { window: 7 },
  });
  expect(some.retry).toEqual({ ...UPSTREAM_DEFAULTS.retry, attempts: 1, budget: 1 });
  expect(some.breaker).toEqual({ ...UPSTREAM_DEFAULTS.breaker, window: 7 });
});

const ADDRESS_TEXT = "expected an http or https URL without credentials, query and fragment, got";
const BYTES_TEXT = "expected a whole number of bytes from 1 to 536870912, got";
test.each<[UpstreamOptions, string]>([
  [{}, "option baseUrl: expected an address, or `bases`, got neither"],
  [{ bases: {} }, "option baseUrl: expected an address, or `bases`, got neither"],
  [{ baseUrl: "api.example.test" }, `option baseUrl: ${ADDRESS_TEXT} "api.example.test"`],
  [{ baseUrl: "http://[" }, `option baseUrl: ${ADDRESS_TEXT} "http://["`],
  [{ baseUrl: "ftp://a.test" }, `option baseUrl: ${ADDRESS_TEXT} the scheme ftp:`],
  [{ baseUrl: "https://me:hush@a.test" }, `option baseUrl: ${ADDRESS_TEXT} a user or a password`],
  [{ bases: { web: "https://a.test/?a=1" } }, `option bases.web: ${ADDRESS_TEXT} a query`],
  [{ baseUrl: "https://a.test/#x" }, `option baseUrl: ${ADDRESS_TEXT} a fragment`],
  [{ baseUrl: 7 as never }, `option baseUrl: ${ADDRESS_TEXT} 7`],
  [{ baseUrl: BASE_URL, maxResponseBytes: 0 }, `option maxResponseBytes: ${BYTES_TEXT} 0`],
  [{ baseUrl: BASE_URL, maxResponseBytes: Infinity }, `option maxResponseBytes: ${BYTES_TEXT} Infinity`],
  [
    { baseUrl: BASE_URL, maxDownloadBytes: -1 },
    "option maxDownloadBytes: expected a whole number of bytes from 1 to 9007199254740991, got -1",
  ],
  [{ baseUrl: BASE_URL, maxResponseBytes: "1" as never }, `option maxResponseBytes: ${BYTES_TEXT} 1`],
  [
    { baseUrl: BASE_URL, headersTimeoutMs: 2 ** 31 },
    "option headersTimeoutMs: expected a whole number of milliseconds from 1 to 2147483647, got 2147483648",
  ],
  [
    { baseUrl: BASE_URL, connections: 1.5 },
    "option connections: expected a whole number of connections from 1 to 65536, got 1.5",
  ],
  [
    { baseUrl: BASE_URL, retry: { attempts: 11 } },
    "option retry.attempts: expected a whole number of attempts from 1 to 10, got 11",
  ],
  [
    { baseUrl: BASE_URL, retry: { budget: 0 } },
    "option retry.budget: expected retry tokens per success above 0 and at most 1, got 0",
  ],
  [
    { baseUrl: BASE_URL, breaker: { ratio: Number.NaN } },
    "option breaker.ratio: expected a fraction of the requests above 0 and at most 1, got NaN",
  ],
  [
    { baseUrl: BASE_URL, rateLimits: { share: 0 } },
    "option rateLimits.share: expected a fraction of each limit above 0 and at most 1, got 0",
  ],
  [{ baseUrl: BASE_URL, breaker: true as never }, "option breaker: expected an object, or false, got true"],
  [{ baseUrl: BASE_URL, userAgent: "a\r\nb" }, 'option userAgent: expected printable ASCII, got "a\\r\\nb"'],
  [{ baseUrl: BASE_URL, acceptEncoding: "" }, 'option acceptEncoding: expected printable ASCII, got ""'],
])("invalid options of an upstream are rejected: %j", async (options, text) => {
  const error = await failureOf(() => resolveOptions("blog", options));
  expect(error.rawMessage).toBe(`upstream blog: ${text}`);
  expect(error.rawMessage).not.toContain("hush");
});
