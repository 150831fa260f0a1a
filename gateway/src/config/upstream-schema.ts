import { z } from "zod";
import { upstreamSignIn } from "./authorization-sign-in.ts";
import { oauth1Credentials, oauth2Credentials } from "./oauth-credentials.ts";
import { optionalSecret, optionalText, secret, text } from "./schema-parts.ts";

/** A pattern for headers that HTTP, the RPC protocols or the gateway itself use. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|cookie|origin|user-agent|vary|forwarded|x-forwarded-.*|x-request-id|traceparent|tracestate|baggage|accept(?:-.*)?|content-.*|access-control-.*|proxy-.*|connect-.*|grpc-.*|.*-bin)$/;

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: "expected the name of a header" })
  .refine((name) => !RESERVED_HEADER.test(name.toLowerCase()), {
    error: "this header means something else; name one of your own, e.g. x-api-token, or authorization",
  });

const fromHeader = z.strictObject({ header: headerName.describe("Name of the request header.") });

const optionalHeader = fromHeader.optional();

const passThrough = z
  .strictObject({
    apiKey: optionalHeader.describe("The header that carries the caller's API key."),
    oauth1: z
      .strictObject({
        token: fromHeader.describe("The header that carries the caller's token."),
        tokenSecret: fromHeader.describe("The header that carries the token's secret."),
      })
      .optional()
      .describe(
        "The headers that carry a caller's OAuth 1.0a token. The consumer key and secret stay those of `credentials.oauth1`.",
      ),
    oauth2: optionalHeader.describe(
      "The header that carries the caller's OAuth 2 bearer token, with or without `Bearer` before it.",
    ),
    basic: optionalHeader.describe(
      "The header that carries the caller's user and password as HTTP Basic encodes them (RFC 7617), with or without `Basic` before them.",
    ),
  })
  .describe(
    "Forward the caller's own credentials: each is read from a request header of the call and sent to this upstream only.",
  );

const credentials = z.strictObject({
  apiKey: optionalSecret.describe("The API key that the gateway sends to this upstream."),
  oauth1: oauth1Credentials.optional().describe("Sign requests with OAuth 1.0a (RFC 5849)."),
  oauth2: oauth2Credentials
    .optional()
    .describe(
      "Authenticate requests with an OAuth 2 bearer token (RFC 6750), which is fixed, or fetched from a token endpoint.",
    ),
  basic: z
    .strictObject({
      username: secret.describe("The user name, or a token that stands in for it."),
      password: optionalSecret.describe("The password. Omit it for APIs that take a token as the user name."),
    })
    .optional()
    .describe("Authenticate requests with a user name and a password (HTTP Basic, RFC 7617)."),
  passThrough: passThrough.optional(),
});

/** Credentials of an upstream, as places of secrets. */
export type CredentialPlaces = z.infer<typeof credentials>;

const address = z
  .url({ protocol: /^https?$/, error: "expected an http or https address" })
  .refine((text) => /^[^?#@]*$/.test(text), {
    error: "expected an address without user, query and fragment; secrets belong below credentials",
  });

/** A count without a default in the schema, since the runtime sets it. */
const count = z.int().min(1).optional();

/** A number above 0 and at most 1. */
const part = z.number().gt(0).max(1).optional();

/** Returns the schema of an optional group of settings that `false` turns off as a whole. */
function offOr<T extends z.ZodRawShape>(shape: T) {
  const settings = z.union([z.literal(false), z.strictObject(shape)], {
    error: "expected settings, or false",
  });
  return settings.optional();
}

const retry = offOr({
  attempts: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe("How many times a request is sent at most, including the first. Default: 3."),
  baseDelayMs: count.describe(
    "Upper bound of the random wait before the first retry; it doubles with every further one. Default: 100.",
  ),
  maxDelayMs: count.describe(
    "Upper bound of the wait between attempts. A wait that the upstream asks for (Retry-After) is honored as it is. Default: 2000.",
  ),
  maxTotalDelayMs: count.describe(
    "Upper bound of all waits of a call together whose client set no deadline. A call that would wait longer fails at once, with the upstream's error and its RetryInfo. Default: 2000.",
  ),
  budget: part.describe(
    "Retry tokens earned per success; each retry spends one, so that retries cannot multiply the load on a failing upstream. Default: 0.2.",
  ),
});

const breaker = offOr({
  failures: count.describe(
    "Open a circuit after this many requests in a row that fail, each attempt being one. Default: 5.",
  ),
  window: count.describe("How many of the last requests `ratio` is computed over. Default: 20."),
  ratio: part.describe(
    "Open a circuit when this part of the last `window` requests has failed. Default: 0.5.",
  ),
  cooldownMs: count.describe(
    "How long a circuit stays open before a probe decides, one of each caller; it grows each time the probe fails. Default: 5000.",
  ),
  maxCooldownMs: count.describe("Upper bound of the time that a circuit stays open. Default: 60000."),
});

const redirects = offOr({
  hosts: z
    .array(text.regex(/^[^/@?#\s]+$/, { error: "expected a host, e.g. files.example.com or *.example.com" }))
    .describe(
      "The hosts that redirects may lead to beside the base URL: `files.example.com`, `files.example.com:8443`, or `*.example.com` for all hosts below a name.",
    ),
});

const rateLimits = offOr({
  share: part.describe(
    "The part of each limit that this process may use, e.g. 0.25 for one of four replicas. Rounded down, but at least one request. Default: 1.",
  ),
});

const proxyAddress = z
  .url({ protocol: /^https?$/, error: "expected an http or https address, e.g. http://proxy.example:3128" })
  .refine((text) => /^[^:]+:\/\/[^/?#@]+\/?$/.test(text), {
    error: "expected an address without user, path and query; name places for username and password",
  });

const proxy = offOr({
  url: proxyAddress.describe(
    "The address of the proxy, e.g. `http://proxy.example:3128`; `https` for TLS to the proxy itself.",
  ),
  username: optionalSecret.describe("The user name for the proxy (HTTP Basic)."),
  password: optionalSecret.describe("The password for the proxy."),
  ca: optionalText.describe(
    "PEM file with the certificates of the authorities for TLS to the proxy itself, relative to this file. Default: those that Node.js trusts.",
  ),
});

/** A proxy as parsed. */
export type ProxyPlaces = Exclude<z.infer<typeof proxy>, false | undefined>;

const upstreamTls = z.strictObject({
  ca: optionalText.describe(
    "PEM file with the certificates of the authorities that this upstream is trusted by, in place of those that Node.js trusts.",
  ),
  certificate: optionalText.describe(
    "PEM file with the client certificate, followed by those of its issuers (mutual TLS).",
  ),
  key: optionalText.describe("PEM file with the private key of the client certificate."),
  serverName: optionalText.describe(
    "The name that is sent (SNI) and that the upstream's certificate has to be for. Default: the host of the base URL.",
  ),
});

export const optionalTls = upstreamTls.optional();

/** The TLS settings of an upstream as parsed. */
export type UpstreamTls = z.infer<typeof upstreamTls>;

const LEVEL = z.enum(["ignore", "log", "fail"]).optional();

const differenceLevels = {
  additional: LEVEL.describe(
    "What responses have beyond their description: unknown keys, and unknown values of open enums, which are kept. Logged at `debug`.",
  ),
  converted: LEVEL.describe(
    "Values that were kept in another type, e.g. a number that came as a string. Logged at `info`.",
  ),
  lost: LEVEL.describe("Declared values that could not be held. Logged as a warning."),
};

export const differences = z.strictObject({
  ...differenceLevels,
  methods: z
    .record(text, z.strictObject(differenceLevels))
    .optional()
    .describe(
      "The same for single methods (`package.Service/Method`), services (`package.Service`), or all that begin alike (`package.*`). The longest name that fits counts, then the upstream's `differences`.",
    ),
});

/** The schema of one entry of `upstreams`. */
export const upstreamSchema = z
  .strictObject({
    baseUrl: address
      .optional()
      .describe(
        "The base URL of the API, e.g. `https://api.example.com`. It serves every base that `bases` does not name.",
      ),
    bases: z
      .record(text, address)
      .optional()
      .describe("Base URLs by name, for adapters that call several of them."),
    credentials: credentials
      .optional()
      .describe("How the gateway authenticates to the upstream. Default: not at all."),
    signIn: upstreamSignIn
      .optional()
      .describe(
        "How people sign in at this upstream, so that their calls go there with their own rights. Needs `authorization`. Default: nobody signs in here.",
      ),
    proxy: proxy.describe(
      "The egress proxy to this upstream: https goes through a tunnel (CONNECT), http is handed over. `false` means none. `localhost` and the addresses of this machine are always reached directly. Default: what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say; see [proxies](networks.md#proxies).",
    ),
    tls: optionalTls.describe(
      "TLS towards the base URLs of this upstream. The files are relative to this file and read at the start.",
    ),
    userAgent: optionalText.describe("The `User-Agent` header of every request."),
    acceptEncoding: optionalText.describe(
      "The `Accept-Encoding` header of every request; `identity` turns compression off.",
    ),
    maxResponseBytes: count.describe(
      "Maximum size of a response body in bytes, before and after decompression.",
    ),
    maxResponseCost: count.describe(
      "The maximum cost of reading the JSON of a response, or of one record of a stream. Each key, string, number and literal costs 1, each array 3, each object 8. Numbers beyond 2^53, strings that begin like numbers, and keys that did not occur before cost more. Default: 1600000, about 8 MB of ordinary JSON.",
    ),
    maxDownloadBytes: count.describe(
      "Maximum size of a download in bytes, after decompression. Default: no limit, because a download is streamed and never held in memory as a whole.",
    ),
    maxHeaderBytes: count.describe("Maximum size of the response headers in bytes."),
    connectTimeoutMs: count.describe("Timeout for establishing a connection, including TLS."),
    headersTimeoutMs: count.describe("Timeout for receiving the response headers."),
    bodyTimeoutMs: count.describe("Timeout between two chunks of a response body."),
    connections: count.describe("Maximum number of connections per base URL."),
    retry: retry.describe(
      "Retry requests of idempotent methods after a connection failure, after an UNAVAILABLE (502, 503), and after a RESOURCE_EXHAUSTED (429) that says when to retry; see [what is retried](errors.md#what-is-retried). `false` turns retries off.",
    ),
    breaker: breaker.describe(
      "Circuit breaker: while a circuit is open, calls fail fast with UNAVAILABLE; after a cooldown a probe decides. Requests that fail before their first byte is sent (no address, no connection, no TLS) open the circuit of their base address for all callers. Requests that fail later (status 5xx, no response in time, a broken one; not 4xx) open the circuit of their caller alone, which is the person of its token, else the client, else its address; when they are of several callers, they also halve the number of requests that run at the address at a time, which successes raise again. Callers share that number, and each may always have one request. `false` turns it off.",
    ),
    rateLimits: rateLimits.describe(
      "Enforce the rate limits that the adapters declare (`rate_limits`) before a request is sent. `false` turns that off, e.g. for a test server.",
    ),
    redirects: redirects.describe(
      "Follow redirects of GET and HEAD to these hosts, for methods whose `redirects` rule asks for it: at most 5, never from https to http, and never from a public to a private address. Another origin gets no credentials. Default: `false`.",
    ),
    differences: z
      .strictObject(differenceLevels)
      .optional()
      .describe(
        "What is done about responses of this upstream that differ from their description. Default: as `differences` says for all.",
      ),
    callsInFlight: count.describe(
      "Maximum number of concurrent calls to this upstream, so that a slow one cannot take all capacity. Further calls wait in the queue, and callers take turns. One caller gets three quarters at most. All streams leave a sixteenth, of 16 or more, to unary calls. Default: 1024.",
    ),
    traceContext: z
      .boolean()
      .optional()
      .describe(
        "Propagate the trace context (`traceparent` and `tracestate`, W3C Trace Context) to this upstream. Default: `true`.",
      ),
  })
  .refine((value) => value.baseUrl !== undefined || Object.keys(value.bases ?? {}).length > 0, {
    error: "an upstream needs an address: baseUrl, or bases",
  });

/** An upstream as parsed. */
export type UpstreamConfig = z.infer<typeof upstreamSchema>;
