import fc from "fast-check";
import { expect, test } from "vitest";
import { callerInLog, callerKey } from "./caller-key.ts";

const scopes = new Set<string>();

test.each([
  ["an address", { client: "::ffff:192.0.2.1" }, { client: "192.0.2.1" }],
  ["a network", { client: "2001:db8::1" }, { client: "2001:db8:0:0" }],
  ["a client", { client: "192.0.2.1", subject: { clientId: "c", scopes } }, { client: "c" }],
  [
    "a person",
    { client: "192.0.2.1", subject: { clientId: "c", person: "blog:ada", scopes } },
    { caller: "person" },
  ],
])("the log identifies %s without naming a person", (_what, caller, inLog) => {
  expect(callerInLog(callerKey(caller))).toEqual(inLog);
});

const texts = fc.constantFrom("ada", "bob", "blog:ada", "192.0.2.1", "2001:db8:0:0", "");
const callers = fc.record({
  client: fc.constantFrom("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"),
  subject: fc.option(
    fc.record({
      clientId: texts.filter((text) => text !== ""),
      person: fc.option(texts, { nil: undefined }),
      scopes: fc.constant(scopes),
    }),
    { nil: undefined },
  ),
});

test("the key identifies the person; without a person, the client; and without a token, the address", () => {
  type Drawn = Parameters<typeof callerKey>[0];
  const of = ({ client, subject }: Drawn) => {
    if (subject?.person !== undefined) return `person ${subject.person}`;
    if (subject !== undefined) return `client ${subject.clientId}`;
    return `address ${client.startsWith("2001") ? "2001" : client}`;
  };
  fc.assert(
    fc.property(callers, callers, (one, other) => {
      expect(callerKey(one) === callerKey(other)).toBe(of(one) === of(other));
    }),
    { numRuns: 2000 },
  );
});
