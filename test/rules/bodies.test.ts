import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { BodyService } from "../gen/rules/v1/bodies_pb.ts";
import { BodyServiceRest } from "../gen/rules/v1/bodies_rest.ts";
import { type Answers, type Seen, start } from "./world.ts";

const bodies = (answers?: Answers) => start(BodyService, BodyServiceRest, answers);
const REQUEST = { someText: "a&b ü", count: 2n ** 60n, tags: ["x", "y"], inner: { isSet: true } };

/** Returns the body of a multipart request, with its boundary replaced by `B` and its line ends by `|`. */
function parts({ headers, text }: Seen): string {
  const [, boundary = "none"] =
    /^content-type: multipart\/form-data; boundary=(\S+)$/m.exec(headers.join("\n")) ?? [];
  return text.replaceAll(boundary, "B").replaceAll("\r\n", "|");
}

test("JSON: a body is written and read, for any Content-Type of the response", async () => {
  const { client, seen } = await bodies({
    json: { someText: "t", count: "5" },
    headers: { "content-type": "text/html" },
  });
  const answer = await client.sendJson(REQUEST);
  expect(seen[0]?.headers).toEqual(["content-type: application/json"]);
  expect(seen[0]?.text).toBe(
    '{"someText":"a&b ü","count":"1152921504606846976","tags":["x","y"],"inner":{"isSet":true}}',
  );
  expect(answer).toMatchObject({ someText: "t", count: 5n });
});

test("FORM: a request is written as a form with a constant, and a response is read as a form", async () => {
  const { client, seen } = await bodies({ body: "some_text=a+b%26&count=1152921504606846977" });
  const answer = await client.sendForm(REQUEST);
  expect(seen[0]?.line).toBe("POST /form");
  expect(seen[0]?.headers).toEqual(["content-type: application/x-www-form-urlencoded"]);
  expect(seen[0]?.text).toBe(
    "grant_type=refresh%20token&someText=a%26b%20%C3%BC&count=1152921504606846976&tags%5B%5D=x&tags%5B%5D=y&inner.isSet=true",
  );
  expect(answer).toMatchObject({ someText: "a b&", count: 2n ** 60n + 1n });
});

const PARTS = {
  title: "T",
  inner: { isSet: true },
  file: Buffer.from("bytes"),
  note: "a note",
  page: { contentType: "text/html", data: Buffer.from("<p>") },
  media: [
    { identifier: "m0", content: Buffer.from("0"), contentType: "image/png", filename: 'a"b.png' },
    { identifier: "m1", content: Buffer.from("1") },
    { content: Buffer.from("2") },
  ],
};

const PLACED =
  '--B|content-disposition: form-data; name="upload"|content-type: application/octet-stream||bytes|' +
  '--B|content-disposition: form-data; name="note"||a note|' +
  '--B|content-disposition: form-data; name="page"|content-type: text/html||<p>|' +
  '--B|content-disposition: form-data; name="m0"; filename="a%22b.png"|content-type: image/png||0|' +
  '--B|content-disposition: form-data; name="m1"|content-type: application/octet-stream||1|' +
  '--B|content-disposition: form-data; name="media"|content-type: application/octet-stream||2|' +
  "--B--|";

test("MULTIPART: each field becomes a part, and `piece` sets the name, type and file name of a part", async () => {
  const { client, seen } = await bodies();
  await client.sendParts(PARTS);
  expect(parts(seen[0] as Seen)).toBe(
    '--B|content-disposition: form-data; name="title"||T|' +
      `--B|content-disposition: form-data; name="inner.isSet"||true|${PLACED}`,
  );
});

test("MULTIPART with json_part: the fields are sent as a JSON part before the other parts", async () => {
  const { client, seen } = await bodies();
  await client.sendJsonPart(PARTS);
  expect(parts(seen[0] as Seen)).toBe(
    '--B|content-disposition: form-data; name="json"|content-type: application/json||' +
      `{"title":"T","inner":{"isSet":true}}|${PLACED}`,
  );
});

test("MULTIPART_WHEN_PARTS: the body is multipart if a part has a value, and JSON otherwise", async () => {
  const { client, seen } = await bodies();
  await client.sendMaybeParts(PARTS);
  await client.sendMaybeParts({ title: "T" });
  expect(parts(seen[0] as Seen)).toBe(
    '--B|content-disposition: form-data; name="json"|content-type: application/json||' +
      `{"title":"T","inner":{"isSet":true}}|${PLACED}`,
  );
  expect(seen[1]?.headers).toEqual(["content-type: application/json"]);
  expect(seen[1]?.text).toBe('{"title":"T"}');
});

test("property: the content of a part has exactly the bytes of the field", async () => {
  const { client, seen } = await bodies();
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (file) => {
      await client.sendParts({ file });
      const body = seen.at(-1)?.body ?? Buffer.alloc(0);
      const [start, end] = [body.indexOf("\r\n\r\n") + 4, body.lastIndexOf("\r\n--")];
      expect(body.subarray(start, end)).toEqual(Buffer.from(file));
    }),
    { numRuns: 30 },
  );
});

test("BYTES: the body is read into a bytes field or a google.api.HttpBody", async () => {
  const body = Uint8Array.of(0, 255, 10);
  const { client, seen } = await bodies({ headers: { "content-type": "application/json" }, body });
  expect((await client.getBytes({})).data).toEqual(body);
  expect(await client.getHttpBody({})).toMatchObject({ contentType: "application/json", data: body });
  expect(seen[0]?.allHeaders).toContain("accept: */*");
});

test("EMPTY and success: the body is ignored, and fields are read from the status and headers", async () => {
  const { client } = await bodies([
    { body: "<not json" },
    { status: 304, headers: { location: "/same" } },
    { status: 302, headers: { location: "https://elsewhere.test/" }, body: "<html>" },
  ]);
  expect(await client.getNothing({})).toMatchObject({ status: 200, notModified: false, location: "" });
  expect(await client.getNothing({})).toMatchObject({ status: 304, notModified: true, location: "/same" });
  expect(await client.getNothing({})).toMatchObject({ status: 302, location: "https://elsewhere.test/" });
});

test("BY_CONTENT_TYPE: the body is read as JSON, a form, or bytes", async () => {
  const { client } = await bodies([
    { headers: { "content-type": "application/problem+json" }, body: '{"some_text":"j"}' },
    {
      headers: { "content-type": "application/x-www-form-urlencoded;charset=utf-8" },
      body: "someText=f&count=3",
    },
    { headers: { "content-type": "image/png" }, body: Uint8Array.of(137, 80) },
  ]);
  expect(await client.getByType({})).toMatchObject({ someText: "j", count: 0n });
  expect(await client.getByType({})).toMatchObject({ someText: "f", count: 3n });
  expect((await client.getBytesByType({})).data).toEqual(Uint8Array.of(137, 80));
});

test.each([
  ["an object", '{"some_text":"a=b"}'],
  ["a page", '<html lang="en">down</html>'],
  ["a sentence", "Busy, retry_after=5"],
  ["a word", "OK"],
  ["nothing", ""],
  ["blanks", " \n"],
])("a form that is %s fails with RESPONSE_SHAPE, and is not read as an empty message", async (_, body) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { client } = await bodies({ headers, body });
  expect(reasonOf(await failureOf(client.getByType({})))).toBe("RESPONSE_SHAPE");
});

test.each([
  ["bytes", Buffer.from("some_text=a\xff", "latin1")],
  ["escapes", "some_text=a%FF"],
])("%s of a form that are not UTF-8 are reported as lost, and the other text is kept", async (_, body) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { client, differences } = await start(
    BodyService,
    BodyServiceRest,
    { headers, body },
    { strict: false },
  );
  expect((await client.getByType({})).someText).toBe("a\ufffd");
  expect(differences).toEqual([{ path: "(root)", expected: "UTF-8", got: "other bytes", class: "lost" }]);
});

test("BY_CONTENT_TYPE without a bytes field: an unexpected type or an empty body is an error", async () => {
  const { client } = await bodies([
    { headers: { "content-type": "image/png" }, body: Uint8Array.of(137, 80) },
    { headers: { "content-type": "text/plain" }, body: '{"some_text":"j"}' },
    { body: "" },
  ]);
  const error = await failureOf(client.getByType({}));
  expect(error.message).toBe(
    "[internal] upstream rules: expected JSON with status 200, got image/png (2 bytes)",
  );
  expect(await client.getByType({})).toMatchObject({ someText: "j" });
  expect((await failureOf(client.getByType({}))).message).toContain(
    "(root): expected a payload, got nothing",
  );
});
