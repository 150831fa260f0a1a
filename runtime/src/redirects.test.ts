import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Code } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { CallReport, RequestReport } from "./call/options.ts";
import { infoOf, reasonOf } from "./errors/rest-error.ts";
import { RequestWriter } from "./request/request-writer.ts";
import { createRest, type Rest } from "./rest.ts";
import { failureOf } from "./testing/failure.ts";
import {
  type ThingVariant,
  thingAdapter,
  thingOf,
  thingRequest,
  thingService,
} from "./testing/thing-service.ts";
import type { Network } from "./upstream/hop-pools.ts";
import type { UpstreamOptions } from "./upstream/options.ts";
import { isPrivateAddress } from "./upstream/private-address.ts";

const OPEN: Rest[] = [];
const SERVERS: Server[] = [];

afterEach(async () => {
  for (const rest of OPEN.splice(0)) await rest.close();
  for (const server of SERVERS.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(respond: Respond, host = "127.0.0.1"): Promise<number> {
  const server = createServer(respond).listen(0, host);
  await once(server, "listening");
  SERVERS.push(server);
  return (server.address() as AddressInfo).port;
}

const to =
  (location: string | string[], status = 302): Respond =>
  (_request, response) =>
    response.writeHead(status, { location } as never).end("moved");
const good: Respond = (_request, response) =>
  response.setHeader("content-type", "application/json").end('{"id":7}');

/** A network in which 127.0.0.1 counts as the public internet, and all other addresses are private. */
function network(addresses: Readonly<Record<string, string>> = {}): Network {
  return {
    isPrivate: (address) => address !== "127.0.0.1",
    lookup: (host, { all }, done) => {
      const address = addresses[host] ?? "127.0.0.1";
      if (all === true) {
        done(null, [{ address, family: 4 }]);
      } else {
        done(null, address, 4);
      }
    },
  };
}

interface Setup {
  readonly variant?: ThingVariant;
  readonly upstream?: UpstreamOptions;
  readonly network?: Network;
}

function restOf(baseUrl: string, hosts: readonly string[] | undefined, setup: Setup = {}) {
  const reports: CallReport[] = [];
  const requests: RequestReport[] = [];
  const rest = createRest({
    adapters: [thingService(setup.variant)],
    upstreams: {
      things: {
        baseUrl,
        retry: false,
        ...(hosts !== undefined && { redirects: { hosts } }),
        ...setup.upstream,
      },
    },
    network: setup.network ?? network(),
    onCall: (report) => reports.push(report),
    onRequest: (report) => {
      requests.push(report);
      return { headers: { traceparent: `hop-${requests.length}` } };
    },
  });
  OPEN.push(rest);
  return { rest, reports, requests };
}

const FOLLOWING: ThingVariant = { rules: { redirects: true } };
const get = ({ rest }: { readonly rest: Rest }) => rest.call(thingAdapter(), thingRequest({ name: "a" }));

test.each([301, 302, 303, 307, 308])(
  "a redirect with %d is followed if the rule and the option allow it",
  async (status) => {
    const seen: string[] = [];
    const port = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.traceparent}`);
      (request.url === "/things/a" ? to("/files/a?x=1", status) : good)(request, response);
    });
    const tested = restOf(`http://127.0.0.1:${port}`, [], { variant: FOLLOWING });
    expect(thingOf((await get(tested)).bytes).id).toBe(7n);
    expect(seen).toEqual(["GET /things/a hop-1", "GET /files/a?x=1 hop-2"]);
    expect(tested.requests).toHaveLength(2);
    expect(tested.reports).toMatchObject([{ attempts: 2, upstreamStatus: 200, error: undefined }]);
  },
);

test.each<[string, readonly string[] | undefined, ThingVariant]>([
  ["without the option", undefined, FOLLOWING],
  ["without the rule", [], {}],
  ["of a POST", [], { ...FOLLOWING, request: () => new RequestWriter("POST", "/things/a") }],
  ["of a DELETE", [], { ...FOLLOWING, request: () => new RequestWriter("DELETE", "/things/a") }],
])("a redirect %s is not followed", async (_what, hosts, variant) => {
  let requests = 0;
  const port = await serve((request, response) => {
    requests++;
    to("/b")(request, response);
  });
  const error = await failureOf(get(restOf(`http://127.0.0.1:${port}`, hosts, { variant })));
  expect([reasonOf(error), infoOf(error)?.metadata.location, requests]).toEqual(["MOVED", "/b", 1]);
});

test("another origin receives no credentials of any kind, even if it redirects back", async () => {
  const seen: Array<{ readonly url: string | undefined; readonly headers: IncomingMessage["headers"] }> = [];
  const record = (request: IncomingMessage) => seen.push({ url: request.url, headers: request.headers });
  let base = 0;
  const other = await serve((request, response) => {
    record(request);
    to(`http://base.example:${base}/back?key=secret`)(request, response);
  });
  base = await serve((request, response) => {
    record(request);
    const away = to(`http://files.example:${other}/f?key=secret&a=1`);
    (request.url?.startsWith("/back") ? good : away)(request, response);
  });
  for (const [kind, credentials] of [
    ["api_key", { apiKey: "secret" }],
    ["oauth2", { oauth2: { accessToken: "secret" } }],
    ["basic", { basic: { username: "u", password: "secret" } }],
    ["oauth1", { oauth1: { consumerKey: "secret", consumerSecret: "s", token: "secret", tokenSecret: "s" } }],
  ] as const) {
    seen.length = 0;
    const variant: ThingVariant = {
      rules: { redirects: true, credentials: [kind], apiKey: { query: "key" } },
      request: () => {
        const out = new RequestWriter("GET", "/things/a");
        out.header("cookie", "session=secret");
        out.header("x-token", "secret");
        return out;
      },
    };
    const setup = { variant, upstream: { credentials } };
    await get(restOf(`http://base.example:${base}`, [`files.example:${other}`], setup));
    expect(seen.map(({ url }) => url?.split("?")[0])).toEqual(["/things/a", "/f", "/back"]);
    const [first, ...others] = seen;
    expect(JSON.stringify(first)).toContain("cookie");
    expect(JSON.stringify(others)).not.toMatch(/secret|authorization|cookie|x-token/);
  }
});

test("a redirect to the same origin gets new credentials: an API key once, or a new signature", async () => {
  const seen: string[] = [];
  const port = await serve((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? ""}`);
    (request.url?.startsWith("/things") ? to("/b?key=secret&a=1") : good)(request, response);
  });
  const rules = { redirects: true, credentials: ["api_key"], apiKey: { query: "key" } } as const;
  await get(
    restOf(`http://127.0.0.1:${port}`, [], {
      variant: { rules },
      upstream: { credentials: { apiKey: "secret" } },
    }),
  );
  expect(seen).toEqual(["/things/a?key=secret ", "/b?a=1&key=secret "]);
  seen.length = 0;
  const oauth1 = { consumerKey: "k", consumerSecret: "s", token: "t", tokenSecret: "u" };
  const signing: ThingVariant = { rules: { redirects: true, credentials: ["oauth1"] } };
  await get(
    restOf(`http://127.0.0.1:${port}`, [], { variant: signing, upstream: { credentials: { oauth1 } } }),
  );
  const signatures = seen.map((line) => /oauth_signature="([^"]+)"/.exec(line)?.[1]);
  expect(new Set(signatures).size).toBe(2);
  expect(signatures).not.toContain(undefined);
});

test.each([
  ["a loop", "/things/a", "more than 5 redirects"],
  ["another host", "http://evil.example/", "a host that is not named"],
  ["an IPv6 literal", "http://[::1]/", "a host that is not named"],
  ["a zero", "http://0/", "a host that is not named"],
  ["a decimal address", "http://2130706434/", "a host that is not named"],
  ["a user", "http://u:p@127.0.0.1/", "a user or a password in it"],
  ["no address", "http://[", "a text that is no address"],
  ["a file", "file:///etc/passwd", "another scheme"],
])("a redirect to %s is rejected", async (_what, location, problem) => {
  let requests = 0;
  const port = await serve((request, response) => {
    requests++;
    to(location)(request, response);
  });
  const error = await failureOf(get(restOf(`http://127.0.0.1:${port}`, [], { variant: FOLLOWING })));
  expect([error.code, reasonOf(error)]).toEqual([Code.FailedPrecondition, "REDIRECT_REFUSED"]);
  expect(error.rawMessage).toContain(problem);
  expect(requests).toBe(location === "/things/a" ? 6 : 1);
});

test("a Location header with two addresses is rejected", async () => {
  const port = await serve(to(["/a", "/b"]));
  const error = await failureOf(get(restOf(`http://127.0.0.1:${port}`, [], { variant: FOLLOWING })));
  expect(["REDIRECT_REFUSED", "MOVED"]).toContain(reasonOf(error));
});

test.each([
  ["a name that resolves to the address", "inside.example"],
  ["an address", "127.0.0.2"],
])(
  "a redirect from a public address to a private address is rejected if it names %s",
  async (_what, host) => {
    let inside = 0;
    const other = await serve((request, response) => {
      inside++;
      good(request, response);
    }, "127.0.0.2");
    const port = await serve(to(`http://${host}:${other}/`));
    const hosts = [`${host}:${other}`];
    const addresses = { "inside.example": "127.0.0.2", "private.example": "127.0.0.2" };
    const setup = { variant: FOLLOWING, network: network(addresses) };
    const error = await failureOf(get(restOf(`http://public.example:${port}`, hosts, setup)));
    expect([error.code, reasonOf(error), inside]).toEqual([Code.FailedPrecondition, "REDIRECT_REFUSED", 0]);
    // a private upstream may redirect to private addresses
    const own = await serve(to(`http://${host}:${other}/`), "127.0.0.2");
    await get(restOf(`http://private.example:${own}`, hosts, setup));
    expect(inside).toBe(1);
  },
);

/** Hosts on this machine or in a private network, in all notations that a peer may use. */
const INSIDE = [
  "localhost",
  "127.0.0.1",
  "127.0.0.1.",
  "127.0.0.3",
  "127.1",
  "0177.0.0.1",
  "0x7f.1",
  "0x7f000001",
  "2130706433",
  "%31%32%37.0.0.1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "0xa9fea9fe",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:0:7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[fd00::1]",
  "[fe80::1]",
  "[ff02::1]",
];

test.each(INSIDE)("a redirect from a public address to the private host %s is not followed", async (host) => {
  let inside = 0;
  const count: Respond = (request, response) => {
    inside++;
    good(request, response);
  };
  const other = await serve(count);
  const location = `http://${host}:${other}/`;
  // only 127.0.0.2 counts as the public internet
  const from = await serve(to(location), "127.0.0.2");
  const { lookup } = network({ "public.example": "127.0.0.2" });
  const outside: Network = {
    lookup,
    isPrivate: (address) => address !== "127.0.0.2" && isPrivateAddress(address),
  };
  const hosts = [new URL(location).host];
  const tested = restOf(`http://public.example:${from}`, hosts, { variant: FOLLOWING, network: outside });
  const error = await failureOf(get(tested));
  expect([error.code, reasonOf(error), inside]).toEqual([Code.FailedPrecondition, "REDIRECT_REFUSED", 0]);
  expect(error.rawMessage).toContain("a private address");
});

test("if the address of a name changes after the check, the new address is checked when connecting", async () => {
  let inside = 0;
  const other = await serve((request, response) => {
    inside++;
    good(request, response);
  }, "127.0.0.2");
  const port = await serve(to(`http://rebinding.example:${other}/`));
  let lookups = 0;
  const { lookup, isPrivate } = network();
  const rebinding: Network = {
    // the first lookup is for the base address; each later address counts as public once
    isPrivate: (address) => isPrivate(address) && ++lookups !== 1,
    lookup: (host, options, done) =>
      host === "rebinding.example"
        ? done(null, [{ address: "127.0.0.2", family: 4 }])
        : lookup(host, options, done),
  };
  const setup = { variant: FOLLOWING, network: rebinding };
  const error = await failureOf(
    get(restOf(`http://public.example:${port}`, [`rebinding.example:${other}`], setup)),
  );
  expect([reasonOf(error), inside]).toEqual(["REDIRECT_REFUSED", 0]);
});

test.each([["https://a.example"], ["a.example/x"], [""], ["a.example:443"], ["*"], ["u@a.example"]])(
  "the redirects option rejects %j as a host",
  (host) => {
    expect(() => restOf("https://base.example", [host])).toThrow("redirects.hosts");
  },
);
