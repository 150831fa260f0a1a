import fc from "fast-check";
import { expect, test } from "vitest";
import { ANY_HOST, createHostCheck, hostsOf, isHostPattern, isLoopback } from "./hosts.ts";

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["localhost", true],
  ["LOCALHOST", true],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.0.2.1", false],
  ["::ffff:192.0.2.1", false],
  ["2001:db8::1", false],
  ["gateway.example", false],
  ["localhost.example", false],
  ["127.example", false],
  ["", false],
])("isLoopback(%j) returns %j", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test("a gateway on a loopback address serves the loopback names by default, and a gateway on any other address needs configured hosts", () => {
  expect(hostsOf("127.0.0.5", undefined)).toEqual([
    "localhost",
    "*.localhost",
    "127.0.0.1",
    "::1",
    "127.0.0.5",
  ]);
  expect(hostsOf("127.0.0.5", ["a.example"])).toEqual(["a.example"]);
  expect(hostsOf("0.0.0.0", [ANY_HOST])).toEqual([ANY_HOST]);
  expect(() => hostsOf("0.0.0.0", undefined)).toThrow(
    '0.0.0.0 is not a loopback address: name the hosts that callers use in server.hosts, e.g. [gateway.example.com], or write ["*"] for all where no browser can reach the port; otherwise any web page could call the gateway by DNS rebinding',
  );
});

const LOOPBACK = hostsOf("127.0.0.1", undefined);
const OWN = ["Gateway.Example.com.", "*.pods.example", "2001:DB8::0:1", "192.0.2.7", "bücher.example"];

test.each<[readonly string[], string, boolean]>([
  [LOOPBACK, "localhost", true],
  [LOOPBACK, "localhost:8080", true],
  [LOOPBACK, "localhost:", true],
  [LOOPBACK, "LocalHost.:80", true],
  [LOOPBACK, "app.localhost:80", true],
  [LOOPBACK, "127.0.0.1:8080", true],
  [LOOPBACK, "127.1", true],
  [LOOPBACK, "127.0.0.1.", true],
  [LOOPBACK, "[::1]:8080", true],
  [LOOPBACK, "[0:0::1]", true],
  [LOOPBACK, "evil.example", false],
  [LOOPBACK, "localhost.evil.example", false],
  [LOOPBACK, "evil-localhost", false],
  [LOOPBACK, "localhost..", false],
  [LOOPBACK, ".localhost", false],
  [LOOPBACK, "127.0.0.1.evil.example", false],
  [LOOPBACK, "127.0.0.2", false],
  [LOOPBACK, "0.0.0.0", false],
  [LOOPBACK, "0", false],
  [LOOPBACK, "[::]", false],
  [LOOPBACK, "[::ffff:127.0.0.1]", false],
  [LOOPBACK, "localhost@evil.example", false],
  [LOOPBACK, "evil.example@localhost", false],
  [LOOPBACK, "evil.example#localhost", false],
  [LOOPBACK, "localhost, evil.example", false],
  [LOOPBACK, "localhost evil.example", false],
  [LOOPBACK, "localhost/", false],
  [LOOPBACK, "%6cocalhost", false],
  [LOOPBACK, "lo\u0441alhost", false],
  [LOOPBACK, "", false],
  [OWN, "gateway.example.com", true],
  [OWN, "GATEWAY.EXAMPLE.COM.:443", true],
  [OWN, "a.pods.example", true],
  [OWN, "a.b.pods.example", true],
  [OWN, "pods.example", false],
  [OWN, "evilpods.example", false],
  [OWN, "x.gateway.example.com", false],
  [OWN, "[2001:db8::1]:1", true],
  [OWN, "[2001:db8::2]:1", false],
  [OWN, "192.0.2.7", true],
  [OWN, "xn--bcher-kva.example", true],
  [OWN, "localhost", false],
  [[ANY_HOST], "anything.example", true],
])("with the configured hosts %j, the host %j is served: %j", (hosts, authority, expected) => {
  expect(createHostCheck(hosts)(authority)).toBe(expected);
});

test.each([
  "a.example:80",
  "[::1]:80",
  "http://a.example",
  "a.example/",
  "u@a.example",
  "a b",
  "",
  "*.",
  "**",
  "*.*.a",
  "%61",
])("%j is not a valid host pattern", (text) => {
  expect(isHostPattern(text)).toBe(false);
});

test.each(["*", "a.example", "*.a.example", "::1", "[::1]", "10.0.0.1", "A.Example.", "bücher.example"])(
  "%j is a valid host pattern",
  (text) => {
    expect(isHostPattern(text)).toBe(true);
  },
);

test("a configured host is served in upper and lower case and with any port, but not with a prefix or suffix", () => {
  const name = fc.domain();
  const port = fc.option(fc.nat(65_535), { nil: undefined });
  const upper = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
  const affix = fc.stringMatching(/^[a-z0-9.@/#?%:_ \t-]{1,6}$/);
  fc.assert(
    fc.property(name, port, upper, fc.boolean(), affix, (host, number, cases, dot, more) => {
      const isServed = createHostCheck([host]);
      const spelled = [...host].map((char, at) => (cases[at % 8] ? char.toUpperCase() : char)).join("");
      const suffix = number === undefined ? "" : `:${number}`;
      expect(isServed(`${spelled}${dot ? "." : ""}${suffix}`)).toBe(true);
      const other = `${more}${host}`;
      expect(isServed(other)).toBe(false);
      const behind = `${host}${more}${suffix}`;
      const canonical = URL.parse(`http://${behind}`)?.hostname.replace(/\.$/, "");
      if (isServed(behind)) {
        expect([canonical, /[^a-z0-9.:-]/i.test(behind)]).toEqual([host.toLowerCase(), false]);
      }
    }),
    { interruptAfterTimeLimit: 3000 },
  );
});

test("browsers resolve every host that is served on loopback to the local machine", () => {
  const isServed = createHostCheck(LOOPBACK);
  const piece = fc.constantFrom(
    "localhost",
    "127.0.0.1",
    "[::1]",
    "evil.example",
    ".",
    ":80",
    "@",
    "/",
    "#",
    "?",
    "%",
    "\\",
    " ",
    "\t",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
      const authority = pieces.join("");
      if (!isServed(authority)) return;
      const { hostname, username } = new URL(`http://${authority}/`);
      expect([hostname, username]).toEqual([
        expect.stringMatching(/^(?:(?:.+\.)?localhost\.?|127\.0\.0\.1|\[::1\])$/),
        "",
      ]);
    }),
    { interruptAfterTimeLimit: 3000, numRuns: 2000 },
  );
});
