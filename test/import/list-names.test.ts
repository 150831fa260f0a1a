import fc from "fast-check";
import { expect, test } from "vitest";
import { importDocument, Lock, Reader } from "../../import/src/index.ts";
import type { Json } from "../../import/src/json.ts";

const array = { type: "array", items: { type: "object", properties: { id: { type: "string" } } } };
const object = (properties: { readonly [key: string]: Json }): Json => ({ type: "object", properties });

/** Responses that are lists of orders, and responses that are not. */
const LISTS: readonly Json[] = [
  array,
  object({ orders: array, total: { type: "integer" } }),
  object({ "open-orders": array }),
  object({ data: array, has_more: { type: "boolean" } }),
];
const OTHERS: readonly Json[] = [
  object({ orders: { type: "integer" } }),
  object({ tags: array }),
  { type: "string" },
  { type: "object", additionalProperties: { type: "string" } },
];

/** Verbs in an `operationId` that mean `get`. */
const GETS = ["get", "fetch", "retrieve", "read"];

async function methodsOf(operationId: string, path: string, schema: Json): Promise<readonly string[]> {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const responses = { 200: { description: "", content: { "application/json": { schema } } } };
  const value: Json = {
    openapi: "3.0.0",
    info: { title: "Shop", version: "1" },
    paths: { [path]: { get: { operationId, tags: ["shop"], parameters, responses } } },
  };
  const document = { name: "", url: undefined, value };
  const options = { lock: Lock.empty(), package: "shop.v1" };
  const { files } = await importDocument(document, new Reader(undefined, false), options);
  const text = [...files.values()].join("\n");
  return [...text.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, name = ""]) => name);
}

test("property: a method that gets a list of the resources in its path begins with List, others with Get", async () => {
  const drawn = fc.record({
    verb: fc.constantFrom(...GETS),
    owner: fc.constantFrom("", "/customers/{customer}"),
    last: fc.constantFrom("/orders", "/orders/{id}", "/summary"),
    schema: fc.constantFrom(...LISTS, ...OTHERS),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ verb, owner, last, schema }) => {
      const isList = last === "/orders" && LISTS.includes(schema);
      const methods = await methodsOf(`${verb}ShopOrders`, `${owner}${last}`, schema);
      expect(methods).toEqual([`${isList ? "List" : "Get"}ShopOrders`]);
    }),
  );
});
