import { z } from "zod";
import { upstreamSignIn } from "./authorization-sign-in.ts";
import { oauth1Credentials, oauth2Credentials } from "./oauth-credentials.ts";
import { optionalSecret, optionalText, secret, text } from "./schema-parts.ts";

/** A pattern for headers that HTTP, the RPC protocols or the gateway itself uses. */
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
        "The headers that carry a caller's OAuth 1.0a token. The consumer key and secret are always taken from `credentials.oauth1`.",
      ),
    oauth2: optionalHeader.describe(
      "The header that carries the caller's OAuth 2 bearer token. The prefix `Bearer` is optional.",
    ),
    basic: optionalHeader.describe(
      "The header that carries the caller's user name and password, encoded as in HTTP Basic (RFC 7617). The prefix `Basic` is optional.",
    ),
  })
  .describe(
    "Forward the caller's own credentials. Each credential is read from a request header of the call, and sent to this upstream only.",
  );

const credentials = z.strictObject({
  apiKey: optionalSecret.describe("The API key that the gateway sends to this upstream."),
  oauth1: oauth1Credentials.optional().describe("Sign requests with OAuth 1.0a (RFC 5849)."),
  oauth2: oauth2Credentials
    .optional()
    .describe(
      "Authenticate requests with an OAuth 2 bearer token (RFC 6750). The token is fixed, or the gateway fetches it from a token endpoint.",
    ),
  basic: z
    .strictObject({
      username: secret.describe("The user name, or a token in its place."),
      password: optionalSecret.describe(
        "The password. Omit the password for APIs that take a token as the user name.",
      ),
    })
    .optional()
    .describe("Authenticate requests with a user name and a password (HTTP Basic, RFC 7617)."),
  passThrough: passThrough.optional(),
});

/** The credentials of an upstream, as locations of secrets. */
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
    .describe("The maximum number of attempts for a request, including the first. Default: 3."),
  baseDelayMs: count.describe(
    "The maximum of the random wait before the first retry. The maximum doubles with each further retry. Default: 100.",
  ),
  maxDelayMs: count.describe(
    "The maximum wait between two attempts. A longer wait that the upstream asks for (Retry-After) is not shortened. Default: 2000.",
  ),
  maxTotalDelayMs: count.describe(
    "The maximum total wait of a call whose client set no deadline. A call that would wait longer fails immediately, with the upstream's error and its RetryInfo. Default: 2000.",
  ),
  budget: part.describe(
    "The number of retry tokens that each success earns. Each retry spends one token. Retries therefore cannot multiply the load on a failing upstream. Default: 0.2.",
  ),
});

const breaker = offOr({
  failures: count.describe(
    "Open a circuit after this many consecutive failures. Each attempt of a request counts. Default: 5.",
  ),
  window: count.describe("The number of most recent requests from which `ratio` is computed. Default: 20."),
  ratio: part.describe(
    "Open a circuit when this fraction of the last `window` requests has failed. Default: 0.5.",
  ),
  cooldownMs: count.describe(
    "How long a circuit stays open before it lets one probe request per caller through. The time increases with each failed probe. Default: 5000.",
  ),
  maxCooldownMs: count.describe("The maximum time that a circuit stays open before a probe. Default: 60000."),
});

const redirects = offOr({
  hosts: z
    .array(text.regex(/^[^/@?#\s]+$/, { error: "expected a host, e.g. files.example.com or *.example.com" }))
    .describe(
      "The hosts, in addition to the base URL's, that redirects may lead to: `files.example.com`, `files.example.com:8443`, or `*.example.com` for all subdomains.",
    ),
});

const rateLimits = offOr({
  share: part.describe(
    "The fraction of each rate limit that this process may use, e.g. 0.25 for one of four replicas. The result is rounded down, but is at least one request. Default: 1.",
  ),
});

const proxyAddress = z
  .url({ protocol: /^https?$/, error: "expected an http or https address, e.g. http://proxy.example:3128" })
  .refine((text) => /^[^:]+:\/\/[^/?#@]+\/?$/.test(text), {
    error: "expected an address without user, path and query; name places for username and password",
  });

const proxy = offOr({
  url: proxyAddress.describe(
    "The URL of the proxy, e.g. `http://proxy.example:3128`. With `https`, connections to the proxy use TLS.",
  ),
  username: optionalSecret.describe("The user name for the proxy (HTTP Basic)."),
  password: optionalSecret.describe("The password for the proxy."),
  ca: optionalText.describe(
    "PEM file with the certificate authorities for TLS to the proxy, relative to this file. Default: the authorities that Node.js trusts.",
  ),
});

/** The parsed settings of a proxy. */
export type ProxyPlaces = Exclude<z.infer<typeof proxy>, false | undefined>;

const upstreamTls = z.strictObject({
  ca: optionalText.describe(
    "PEM file with the certificate authorities that may issue the server's certificate, in place of the authorities that Node.js trusts.",
  ),
  certificate: optionalText.describe(
    "PEM file with the client certificate, followed by the certificates of its issuers (mutual TLS).",
  ),
  key: optionalText.describe("PEM file with the private key of the client certificate."),
  serverName: optionalText.describe(
    "The server name that the client sends (SNI) and that the server's certificate must contain. Default: the host of the URL.",
  ),
});

export const optionalTls = upstreamTls.optional();

/** The parsed TLS settings of an upstream. */
export type UpstreamTls = z.infer<typeof upstreamTls>;

const LEVEL = z.enum(["ignore", "log", "fail"]).optional();

const differenceLevels = {
  additional: LEVEL.describe(
    "Content that the description does not declare: unknown keys, which are dropped, and unknown values of open enums, which are kept. Logged at `debug`.",
  ),
  converted: LEVEL.describe(
    "Values that were converted to the declared type, e.g. a 32-bit integer that arrived as a string. A 64-bit integer as a string is valid ProtoJSON, and never a difference. Logged at `info`.",
  ),
  lost: LEVEL.describe("Declared values that the message cannot hold. Logged as warnings."),
};

export const differences = z.strictObject({
  ...differenceLevels,
  methods: z
    .record(text, z.strictObject(differenceLevels))
    .optional()
    .describe(
      "Exceptions for methods (`package.Service/Method`), services (`package.Service`), or common prefixes (`package.*`). The longest matching name takes precedence over the upstream's `differences`.",
    ),
});

/** The schema of one entry of `upstreams`. */
export const upstreamSchema = z
  .strictObject({
    baseUrl: address
      .optional()
      .describe(
        "The base URL of the API, e.g. `https://api.example.com`. This URL is used for every base that `bases` does not name.",
      ),
    bases: z
      .record(text, address)
      .optional()
      .describe("Base URLs by name, for adapters that call several base URLs."),
    credentials: credentials
      .optional()
      .describe("How the gateway authenticates to the upstream. Default: the gateway sends no credentials."),
    signIn: upstreamSignIn
      .optional()
      .describe(
        "How people sign in at this upstream. Calls then use the person's own upstream tokens. Requires `authorization`. Default: nobody signs in at this upstream.",
      ),
    proxy: proxy.describe(
      "The egress proxy for this upstream. Requests for https URLs use a tunnel (CONNECT); requests for http URLs are sent to the proxy itself. `false` turns proxies off. `localhost` and the addresses of this machine are always reached directly. Default: the environment variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; see [proxies](networks.md#proxies).",
    ),
    tls: optionalTls.describe(
      "TLS settings for the base URLs of this upstream. File names are relative to this file. The files are read when the gateway starts.",
    ),
    userAgent: optionalText.describe("The `User-Agent` header of every request."),
    acceptEncoding: optionalText.describe(
      "The `Accept-Encoding` header of every request. `identity` turns compression off.",
    ),
    maxResponseBytes: count.describe(
      "Maximum size of a response body in bytes, before and after decompression.",
    ),
    maxResponseCost: count.describe(
      "The maximum cost of reading the JSON in a response, or in one record of a stream. Each key, string, number and literal costs 1, each array 3, each object 8. Numbers above 2^53, strings that begin like numbers, and each first occurrence of a key cost more. Default: 1600000, about 8 MB of ordinary JSON.",
    ),
    maxDownloadBytes: count.describe(
      "Maximum size of a download in bytes, after decompression. Default: no limit, because a download is never in memory as a whole.",
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
      "The circuit breaker. While a circuit is open, calls fail immediately with UNAVAILABLE. After a cooldown, the result of a probe request closes the circuit or keeps it open. Requests that fail before their first byte is sent (DNS, connection, TLS) open the circuit of their base URL for all callers. Requests that fail later (status 5xx, no response in time, a broken response; not 4xx) open the circuit for their caller only. A caller is the person of the access token, or else the client, or else the client address. If later requests of several callers fail, the gateway also halves the number of concurrent requests to the base URL, and raises it again after successes. Callers share this number, but each caller may always have one request. `false` turns the circuit breaker off.",
    ),
    rateLimits: rateLimits.describe(
      "Enforce the rate limits that the adapters declare (`rate_limits`) before a request is sent. `false` turns these limits off, e.g. for a test server.",
    ),
    redirects: redirects.describe(
      "Follow redirects to these hosts, for GET and HEAD requests of methods with a `redirects` rule. At most 5 redirects are followed, never from https to http, and never from a public to a private address. Other origins get no credentials. Default: `false`.",
    ),
    differences: z
      .strictObject(differenceLevels)
      .optional()
      .describe(
        "How the gateway handles differences between this upstream's responses and their description. Default: the top-level `differences`.",
      ),
    callsInFlight: count.describe(
      "The maximum number of concurrent calls to this upstream. The maximum prevents a slow upstream from taking all capacity. Further calls wait in the queue, and callers take turns. One caller gets at most three quarters of the maximum. If the maximum is 16 or more, a sixteenth of it is reserved for unary calls. Default: 1024.",
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

/** The parsed settings of an upstream. */
export type UpstreamConfig = z.infer<typeof upstreamSchema>;
