import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CalledDocument } from "./calls.ts";

let document: CalledDocument;

beforeAll(async () => {
  document = await CalledDocument.load("test/import/documents/errors.yaml", "errors");
});

afterAll(() => document.remove());

/** Error bodies by method, with the texts that callers receive. */
const BODIES: readonly (readonly [string, unknown, string])[] = [
  ["GetFlat", { errcode: 7, errmsg: "no such shelf", trace: "x" }, "no such shelf"],
  ["GetNested", { fault: { faultstring: "quota exceeded" } }, "quota exceeded"],
  [
    "GetList",
    { result: [{ error_code: 3, message: "is long", description: "by 3" }, { message: "is odd" }] },
    "is long: by 3; is odd",
  ],
  ["GetKnown", { title: "Not found", detail: "no such book" }, "Not found: no such book"],
];

test.each(BODIES)("the error of %s has the text from its response body", async (name, body, text) => {
  const headers = { "content-type": "application/json" };
  const call = document.call(document.method(name), {}, () => ({
    status: 400,
    headers,
    body: JSON.stringify(body),
  }));
  const error = await call.then(
    () => undefined,
    (reason: unknown) => ConnectError.from(reason),
  );
  expect(error?.code).toBe(Code.InvalidArgument);
  expect(error?.rawMessage).toContain(text);
});
