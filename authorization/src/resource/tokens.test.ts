import { hashOf } from "connect-rest-runtime/internal";
import { expect, test } from "vitest";
import { SqliteStore } from "../store/sqlite-store.ts";
import type { Store } from "../store/store.ts";
import { Tokens } from "./tokens.ts";

const PUBLIC_URL = "https://gateway.test";
let time = 1_000_000;
const now = () => time;

/** Returns a store that counts its reads. */
function countingStore(): { readonly store: Store; reads: number } {
  const store = new SqliteStore({ file: ":memory:", now });
  const counted = { store: store as Store, reads: 0 };
  const get = store.get.bind(store);
  store.get = (kind, key) => {
    counted.reads += 1;
    return get(kind, key);
  };
  return counted;
}

function tokenOf(index: number): string {
  return String(index).padStart(43, "a");
}

async function issue(
  store: Store,
  token: string,
  changes: object = {},
  expiresAt = time + 1_000_000,
): Promise<void> {
  const payload = {
    kind: "AccessToken",
    clientId: "c",
    accountId: "p",
    aud: PUBLIC_URL,
    scope: "a b",
    ...changes,
  };
  await store.put("AccessToken", hashOf(token), {
    value: JSON.stringify({ payload }),
    expiresAt,
    grant: "g",
  });
}

test("many calls with one token, concurrent or in sequence, cause a single lookup", async () => {
  const counted = countingStore();
  const tokens = new Tokens({ store: counted.store, audiences: [PUBLIC_URL], sessions: undefined, now });
  await issue(counted.store, tokenOf(1));
  const found = await Promise.all(Array.from({ length: 100 }, () => tokens.find(tokenOf(1))));
  expect(new Set(found).size).toBe(1);
  for (let i = 0; i < 1000; i += 1) expect(tokens.find(tokenOf(1))).not.toBeInstanceOf(Promise);
  expect(counted.reads).toBe(1);
});

test("a revocation by another process takes effect after two seconds, and a local revocation takes effect immediately", async () => {
  const counted = countingStore();
  const tokens = new Tokens({ store: counted.store, audiences: [PUBLIC_URL], sessions: undefined, now });
  for (const revoke of [
    () => tokens.forget(tokenOf(2)),
    () => tokens.forgetGrant("g"),
    () => (time += 2000),
  ]) {
    await issue(counted.store, tokenOf(2));
    expect(await tokens.find(tokenOf(2))).toBeDefined();
    await counted.store.deleteBy({ grant: "g" });
    revoke();
    expect(await tokens.find(tokenOf(2))).toBeUndefined();
    time += 2000;
  }
});

test("a token that is revoked during its lookup is not cached", async () => {
  const store = new SqliteStore({ file: ":memory:", now });
  const tokens = new Tokens({ store, audiences: [PUBLIC_URL], sessions: undefined, now });
  await issue(store, tokenOf(3));
  const lookup = tokens.find(tokenOf(3));
  await store.deleteBy({ grant: "g" });
  tokens.forgetGrant("g");
  await lookup;
  expect(await tokens.find(tokenOf(3))).toBeUndefined();
});

test("a cached token expires at its expiry time", async () => {
  const store = new SqliteStore({ file: ":memory:", now });
  const tokens = new Tokens({ store, audiences: [PUBLIC_URL], sessions: undefined, now });
  await issue(store, tokenOf(4), {}, time + 500);
  expect(await tokens.find(tokenOf(4))).toBeDefined();
  time += 500;
  expect(tokens.find(tokenOf(4))).toBeUndefined();
});

test("invalid tokens have a separate cache, and do not evict valid tokens", async () => {
  const counted = countingStore();
  const tokens = new Tokens({ store: counted.store, audiences: [PUBLIC_URL], sessions: undefined, now });
  await issue(counted.store, tokenOf(5));
  await tokens.find(tokenOf(5));
  for (let i = 0; i < 10_050; i += 1) await tokens.find(tokenOf(1_000_000 + i));
  const before = counted.reads;
  expect(tokens.find(tokenOf(5))).not.toBeInstanceOf(Promise);
  expect(await tokens.find(tokenOf(1_000_000 + 10_049))).toBeUndefined();
  expect(counted.reads).toBe(before);
  // the cache evicts the oldest token
  await tokens.find(tokenOf(1_000_000));
  expect(counted.reads).toBe(before + 1);
});

test("a string without the form of a token is not looked up", () => {
  const counted = countingStore();
  const tokens = new Tokens({ store: counted.store, audiences: [PUBLIC_URL], sessions: undefined, now });
  for (const text of ["", "a", "a".repeat(44), `${"a".repeat(42)}.`, "x".repeat(8000)]) {
    expect(tokens.find(text)).toBeUndefined();
  }
  expect(counted.reads).toBe(0);
});

test("a token for another audience, or of an ended session, is invalid", async () => {
  const store = new SqliteStore({ file: ":memory:", now });
  const sessions = { isAlive: (id: string) => Promise.resolve(id === "alive"), end: () => Promise.resolve() };
  const tokens = new Tokens({ store, audiences: [PUBLIC_URL], sessions, now });
  await issue(store, tokenOf(6), { aud: "https://other.test" });
  await issue(store, tokenOf(7), { extra: { session: "ended" } });
  await issue(store, tokenOf(8), { extra: { session: "alive" } });
  expect(await tokens.find(tokenOf(6))).toBeUndefined();
  expect(await tokens.find(tokenOf(7))).toBeUndefined();
  expect(await tokens.find(tokenOf(8))).toMatchObject({ clientId: "c", subject: "p", sessionId: "alive" });
});
