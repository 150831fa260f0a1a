import { expect, test } from "vitest";
import { callerKey, clientOfCaller } from "./caller-key.ts";

const scopes = new Set<string>();

test.each([
  ["an address", { client: "::ffff:192.0.2.1" }, "192.0.2.1"],
  ["a network", { client: "2001:db8::1" }, "2001:db8:0:0"],
  ["a client", { client: "192.0.2.1", subject: { clientId: "c", scopes } }, "c"],
  ["a person", { client: "192.0.2.1", subject: { clientId: "c", person: "ada", scopes } }, "c"],
])("the key of %s names no person in the log", (_what, caller, inLog) => {
  expect(clientOfCaller(callerKey(caller))).toBe(inLog);
});

test("people are callers of their own, whatever address and client they have", () => {
  const keys = ["ada", "bob", undefined].map((person) =>
    callerKey({ client: "192.0.2.1", subject: { clientId: "c", person, scopes } }),
  );
  expect(new Set([...keys, callerKey({ client: "192.0.2.1" })]).size).toBe(4);
  expect(callerKey({ client: "192.0.2.2", subject: { clientId: "c", person: "ada", scopes } })).toBe(keys[0]);
});
