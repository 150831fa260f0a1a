/** Sends the first request that the console shows for each method, in the order of the console. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestOf } from "../../console/src/request-of.ts";
import { isCallable, pathOf, Schema } from "../../console/src/schema.ts";
import { ALL_SERVICES } from "../console/schema.ts";
import { type Child, ROOT, startChild } from "./child.ts";

let child: Child;
let url: string;
let schema: Schema;

beforeAll(async () => {
  const bin = path.join(ROOT, "gateway/src/bin.ts");
  child = startChild(process.execPath, [bin, "serve", "--sandbox"]);
  [, url = ""] = await child.printed(/^gateway ready on (http:\S+)$/m);
  const get = (name: string) => fetch(`${url}/console/${name}`);
  schema = new Schema(
    (await (await get("about.json")).json()) as ConstructorParameters<typeof Schema>[0],
    new Uint8Array(await (await get("schema.binpb")).arrayBuffer()),
    {},
  );
});
afterAll(() => child.signalAll("SIGKILL"));

/** Sends the first request of a method. Returns the error; undefined if there is none. */
async function sendExample(name: string): Promise<unknown> {
  const method = schema.method(name);
  if (method === undefined) throw new Error(`${name} is not served`);
  const body = JSON.stringify(requestOf(schema, method));
  const abort = new AbortController();
  const isUnary = method.methodKind === "unary";
  const response = await fetch(`${url}/${pathOf(method)}`, {
    method: "POST",
    headers: { "content-type": isUnary ? "application/json" : "application/connect+json" },
    body: isUnary ? body : enveloped(body),
    signal: abort.signal,
  });
  if (isUnary) {
    const text = await response.text();
    return response.status === 200 ? undefined : text;
  }
  const first = await response.body?.getReader().read();
  abort.abort();
  const isEnd = first?.value?.[0] === 2;
  return isEnd ? JSON.parse(new TextDecoder().decode(first.value.subarray(5))).error : undefined;
}

function enveloped(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const all = new Uint8Array(5 + bytes.length);
  new DataView(all.buffer).setUint32(1, bytes.length);
  all.set(bytes, 5);
  return all;
}

const NAMES = ALL_SERVICES.flatMap(({ methods }) => methods).map(pathOf);

test("the console shows every method of the configured services", () => {
  const shown = schema.services.flatMap(({ methods }) => methods).map(pathOf);
  expect(shown.toSorted()).toEqual(NAMES.toSorted());
});

const CALLABLE = ALL_SERVICES.flatMap(({ methods }) => methods)
  .filter(isCallable)
  .map(pathOf);

test("a browser can call all methods except uploads, which stream their requests", () => {
  const others = NAMES.filter((name) => !CALLABLE.includes(name));
  expect(others).toEqual(["blog.v1.PostService/UploadPost", "blog.v1.PostService/UploadLegacyVideo"]);
});

test.each(CALLABLE)("the example of %s succeeds", async (name) => {
  expect(await sendExample(name)).toBeUndefined();
});
