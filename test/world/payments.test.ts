import { Code } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nestedParameters } from "../../runtime/src/request/nested-parameters.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { PaymentService } from "../gen/world/v1/payments_pb.ts";
import { PaymentServiceRest } from "../gen/world/v1/payments_rest.ts";
import { type Answers, type Seen, type Settings, start } from "../rules/world.ts";

const payments = (answers?: Answers, settings?: Settings) =>
  start(PaymentService, PaymentServiceRest, answers, {
    upstream: { credentials: { basic: { username: "sk_1" } } },
    ...settings,
  });

const pairs = ({ text }: Seen) => [...new URLSearchParams(text)].map((pair) => pair.join("="));

test("nested form values have bracketed names", async () => {
  const { client, seen } = await payments({ json: { id: "o1" } });
  const order = await client.createOrder({
    currency: "eur",
    items: [
      { price: "p1", quantity: 2n, taxes: ["t1", "t2"] },
      { price: "p2", part: { price: "p3", part: { price: "p4" } }, gift: true },
    ],
    metadata: { "order id": "6&7" },
    expand: ["customer", "items"],
    shipping: { name: "Ada", address: { city: "Bonn" }, tags: ["fragile"] },
    source: { case: "card", value: { number: "42", checks: { cvc: "pass" } } },
    extra: { deep: { list: [1, true] } },
    bundle: [{ price: "b1", taxes: ["t"] }, { price: "b2" }],
  });
  expect(order.id).toBe("o1");
  expect(seen[0]?.line).toBe("POST /v1/orders");
  expect(pairs(seen[0] as Seen)).toEqual([
    "currency=eur",
    "items[0][price]=p1",
    "items[0][quantity]=2",
    "items[0][taxes][0]=t1",
    "items[0][taxes][1]=t2",
    "items[1][price]=p2",
    "items[1][part][price]=p3",
    "items[1][part][part][price]=p4",
    "items[1][gift]=true",
    "metadata[order id]=6&7",
    "expand[]=customer",
    "expand[]=items",
    "shipping[name]=Ada",
    "shipping[address][city]=Bonn",
    "shipping[tags][]=fragile",
    "extra[deep][list][0]=1",
    "extra[deep][list][1]=true",
    "bundle[][price]=b1",
    "bundle[][taxes][]=t",
    "bundle[][price]=b2",
    "source_type=card",
    "number=42",
    "checks[cvc]=pass",
  ]);
});

test("nested query values have bracketed names, and times follow their rules", async () => {
  const { client, seen } = await payments([
    { json: { data: [{ id: "o1" }, { id: "o2" }], has_more: true } },
    { json: { data: [{ id: "o3" }], has_more: false } },
  ]);
  const ids: string[] = [];
  const created = { gte: { seconds: 10n, nanos: 0 } };
  for await (const { id } of client.listOrders({ created, metadata: { a: "1" } })) ids.push(id);
  expect(ids).toEqual(["o1", "o2", "o3"]);
  expect(seen.map(({ line }) => decodeURIComponent(line))).toEqual([
    "GET /v1/orders?created[gte]=10&metadata[a]=1",
    "GET /v1/orders?created[gte]=10&metadata[a]=1&starting_after=o2",
  ]);
});

test("nested values in parts have bracketed names", async () => {
  const { client, seen } = await payments();
  await client.attachReceipt({ order: "o1", file: Buffer.from("%PDF"), metadata: { a: "1" } });
  const names = [...(seen[0]?.text ?? "").matchAll(/name="([^"]*)"/g)].map(([, name]) => name);
  expect(names).toEqual(["metadata[a]", "file"]);
  expect(seen[0]?.headers.map((header) => header.split(":")[0])).toContain("receipt-key");
});

test.each([
  ["a null, which has no parameter", { deep: [null] }],
  ["an empty item or entry, which has no parameter", { deep: {} }],
  ['an object with the key "0", which is read as a list', { deep: { "0": "a" } }],
])("a Struct in a form is rejected if it has %s", async (problem, extra) => {
  const { client, seen } = await payments();
  const error = await failureOf(client.createOrder({ extra }));
  expect(error.message).toContain(
    `[invalid_argument] extra: has ${problem}, so it cannot be sent in the form`,
  );
  expect(seen).toEqual([]);
});

test("a map key with a bracket is rejected, because servers would parse it as another key", async () => {
  const { client, seen } = await payments();
  const error = await failureOf(client.createOrder({ metadata: { "a][b": "1" } }));
  expect(error.message).toBe(
    "[invalid_argument] metadata: a key is empty or contains a bracket, which delimits keys, so it cannot be sent in the form; send keys without brackets",
  );
  expect(seen).toEqual([]);
});

const keyOf = ({ headers }: Seen) =>
  headers.find((header) => header.startsWith("idempotency-key: "))?.replace("idempotency-key: ", "");

test("a POST with a generated idempotency key is retried after a temporary failure, with the same key", async () => {
  const { client, seen } = await payments(
    (_seen, index) => (index === 1 ? { status: 503 } : { json: { id: "o" } }),
    {
      upstream: { credentials: { basic: { username: "sk_1" } }, retry: { baseDelayMs: 1, maxDelayMs: 1 } },
    },
  );
  await client.createOrder({ currency: "eur" });
  await client.createOrder({ currency: "usd" });
  expect(seen).toHaveLength(3);
  const [first, failed, again] = seen.map(keyOf);
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(failed).not.toBe(first);
  expect(again).toBe(failed);
});

test("the caller's idempotency key takes precedence, and a GET has no key", async () => {
  const { client, seen } = await payments((_seen, index) => ({
    json: index === 0 ? { id: "o" } : { data: [] },
  }));
  await client.createOrder({ idempotencyKey: "mine" });
  for await (const _order of client.listOrders({}));
  expect(seen.map(keyOf)).toEqual(["mine", undefined]);
});

test("an error has the reason of the matching rule", async () => {
  const message = "The card was declined.";
  const error = { type: "card_error", code: "declined", message, decline_code: "lost_card" };
  const { client } = await payments({ status: 402, json: { error } });
  const failure = await failureOf(client.createOrder({}));
  expect([failure.code, reasonOf(failure)]).toEqual([Code.FailedPrecondition, "CARD_DECLINED"]);
  expect(failure.findDetails(ErrorInfoSchema)[0]?.metadata.decline_code).toBe("lost_card");
});

test("property: bracketed names are parsed back to the original value", () => {
  const key = fc.stringMatching(/^[a-z ]{1,4}$/);
  const tree = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.string({ minLength: 1 }), tie("object"), tie("list")),
    object: fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    list: fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
  })).value;
  fc.assert(
    fc.property(tree, (value) => {
      const root: Record<string, unknown> = {};
      for (const [name, text] of nestedParameters("x", value as string, "indexed", "form")) {
        put(root, name.replaceAll("]", "").split("["), text);
      }
      expect(root.x).toEqual(asRead(value));
    }),
  );
});

/** Sets a value as a server that supports brackets does; lists become objects with their indexes as keys. */
function put(holder: Record<string, unknown>, [step = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    holder[step] = value;
    return;
  }
  const below = (holder[step] ?? {}) as Record<string, unknown>;
  holder[step] = below;
  put(below, rest, value);
}

function asRead(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asRead(item)]));
}
