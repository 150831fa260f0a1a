import fc from "fast-check";
import { expect, test } from "vitest";
import type { HttpRequest } from "./http.ts";
import { createOriginReader, type ProxyOptions } from "./proxies.ts";

/** Returns a request with the properties that the origin reader uses. */
function request(remoteAddress: string, headers: Record<string, string>, encrypted = false): HttpRequest {
  const socket = encrypted ? { remoteAddress, encrypted } : { remoteAddress };
  return {
    httpVersionMajor: 1,
    socket,
    headers: { host: "gateway.example", ...headers },
  } as unknown as HttpRequest;
}

const TRUSTED = ["10.0.0.0/8", "192.0.2.7", "fd00::/8"];

function client(
  remoteAddress: string,
  headers: Record<string, string>,
  options: ProxyOptions = { trusted: TRUSTED },
): string {
  return createOriginReader(options)(request(remoteAddress, headers)).client;
}

test.each([
  ["is the peer's address if the peer is not a trusted proxy", "203.0.113.9", "1.1.1.1", "203.0.113.9"],
  ["is the address that a trusted proxy reports", "10.1.1.1", "203.0.113.9", "203.0.113.9"],
  ["is the first address before two trusted proxies", "10.1.1.1", "203.0.113.9, 192.0.2.7", "203.0.113.9"],
  [
    "is not an address that the client added to the header",
    "10.1.1.1",
    "10.9.9.9, 1.1.1.1, 203.0.113.9",
    "203.0.113.9",
  ],
  ["is the first address if all addresses are trusted", "10.1.1.1", "10.2.2.2, 10.3.3.3", "10.2.2.2"],
  ["is the proxy's address if the proxy hides the client", "10.1.1.1", "1.1.1.1, unknown", "10.1.1.1"],
  ["is the proxy's address if the proxy sends no header", "10.1.1.1", "", "10.1.1.1"],
  ["may be an IPv6 address", "fd00::1", "2001:db8::9", "2001:db8::9"],
  ["is found if an IPv4 proxy connects to an IPv6 socket", "::ffff:10.1.1.1", "203.0.113.9", "203.0.113.9"],
])("the client's address %s", (_name, peer, header, expected) => {
  expect(client(peer, { "x-forwarded-for": header })).toBe(expected);
  const forwarded =
    header === ""
      ? ""
      : header
          .split(", ")
          .map((each) => `for="[${each}]"`)
          .join(",");
  expect(client(peer, { forwarded }, { trusted: TRUSTED, header: "forwarded" })).toBe(expected);
});

test("the client's address is read only from the configured header", () => {
  const headers = { forwarded: "for=1.1.1.1", "x-forwarded-for": "2.2.2.2" };
  expect(client("10.1.1.1", headers)).toBe("2.2.2.2");
  expect(client("10.1.1.1", headers, { trusted: TRUSTED, header: "forwarded" })).toBe("1.1.1.1");
});

test("a peer that is not a trusted proxy cannot set the client's address", () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (text, standard) => {
      const headers = { forwarded: text, "x-forwarded-for": text };
      const header = standard ? "forwarded" : "x-forwarded";
      expect(client("203.0.113.9", headers, { trusted: TRUSTED, header })).toBe("203.0.113.9");
    }),
    { interruptAfterTimeLimit: 1000 },
  );
});

const read = (headers: Record<string, string>, options: ProxyOptions = { trusted: TRUSTED }) => {
  const { scheme, authority } = createOriginReader(options)(request("10.1.1.1", headers));
  return `${scheme}://${authority}`;
};

test("the scheme and host that a trusted proxy sends are used", () => {
  const headers = {
    "x-forwarded-for": "1.1.1.1",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "public.example",
  };
  expect(read(headers)).toBe("https://public.example");
  const forwarded = "for=1.1.1.1;proto=https;host=public.example";
  expect(read({ forwarded }, { trusted: TRUSTED, header: "forwarded" })).toBe("https://public.example");
});

test("invalid schemes and hosts from a proxy are ignored, and the connection's scheme and host are used", () => {
  const headers = {
    "x-forwarded-for": "1.1.1.1",
    "x-forwarded-proto": "gopher",
    "x-forwarded-host": "a/b<script>",
  };
  expect(read(headers)).toBe("http://gateway.example");
});

test("schemes and hosts from a peer that is not a trusted proxy are ignored", () => {
  const headers = {
    "x-forwarded-for": "1.1.1.1",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "evil.example",
  };
  const origin = createOriginReader({ trusted: TRUSTED })(request("203.0.113.9", headers));
  expect(`${origin.scheme}://${origin.authority}`).toBe("http://gateway.example");
  const direct = createOriginReader()(request("203.0.113.9", headers, true));
  expect(direct.scheme).toBe("https");
});
