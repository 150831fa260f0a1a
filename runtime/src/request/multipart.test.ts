import fc from "fast-check";
import { expect, test } from "vitest";
import type { BodyPart } from "../adapter/rest-request.ts";
import { failureOf } from "../testing/failure.ts";
import { encodeEnd, encodeMultipart, encodeUntil, multipartType } from "./multipart.ts";
import { RequestWriter } from "./request-writer.ts";

const text = (name: string, value: string): BodyPart => ({ name, content: { kind: "text", text: value } });

/** Parses a body with an independent parser. */
async function parsed(body: Uint8Array, boundary: string): Promise<Array<[string, string | File]>> {
  const headers = { "content-type": multipartType(boundary) };
  return [...(await new Response(Buffer.from(body), { headers }).formData())];
}

test("a multipart body is encoded byte for byte as in RFC 7578", () => {
  const parts: BodyPart[] = [
    { name: "json", content: { kind: "json", value: { id: 700000000000000001n } } },
    text("tags", "a,é"),
    {
      name: "data",
      filename: "p.png",
      contentType: "image/png",
      content: { kind: "bytes", bytes: Buffer.from("\x89PNG", "latin1") },
    },
    { name: "raw", content: { kind: "bytes", bytes: new Uint8Array() } },
  ];
  expect(encodeMultipart(parts, "b").toString("latin1")).toBe(
    [
      "--b",
      'content-disposition: form-data; name="json"',
      "content-type: application/json",
      "",
      '{"id":700000000000000001}',
      "--b",
      'content-disposition: form-data; name="tags"',
      "",
      Buffer.from("a,é").toString("latin1"),
      "--b",
      'content-disposition: form-data; name="data"; filename="p.png"',
      "content-type: image/png",
      "",
      "\x89PNG",
      "--b",
      'content-disposition: form-data; name="raw"',
      "content-type: application/octet-stream",
      "",
      "",
      "--b--",
      "",
    ].join("\r\n"),
  );
});

test("a multipart body escapes names and file names as browsers do, so that they cannot inject a header or a part", () => {
  const name = 'a"; filename="x\r\nx-evil: 1\r\n\r\n--b';
  const part: BodyPart = { name, filename: 'é"\n', content: { kind: "text", text: "v" } };
  const body = encodeMultipart([part], "b").toString();
  expect(body).toContain(
    'name="a%22; filename=%22x%0D%0Ax-evil: 1%0D%0A%0D%0A--b"; filename="é%22%0A"\r\n\r\nv\r\n',
  );
  expect(body.split("\r\n")).toHaveLength(6);
});

test("an independent parser can read a multipart body with any names and contents", async () => {
  const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => !/[\p{Cc}%]/u.test(value));
  const part = fc.oneof(
    fc.record({ name, value: fc.string({ unit: "grapheme" }) }).map(({ name, value }) => text(name, value)),
    fc.record({ name, filename: name, bytes: fc.uint8Array() }).map(
      ({ bytes, ...head }): BodyPart => ({
        ...head,
        contentType: "image/gif",
        content: { kind: "bytes", bytes },
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const boundary = "----connect-rest-0123456789abcdef";
      const read = await parsed(encodeMultipart(parts, boundary), boundary);
      expect(read.map(([name]) => name)).toEqual(parts.map((part) => part.name));
      for (const [index, [, value]] of read.entries()) {
        const { content, filename } = parts[index] as BodyPart;
        if (content.kind === "text") expect(value).toBe(content.text);
        if (content.kind !== "bytes" || !(value instanceof File)) continue;
        expect([value.name, value.type]).toEqual([filename, "image/gif"]);
        expect(Buffer.from(await value.arrayBuffer()).equals(content.bytes)).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test("the bytes around the last part of a multipart body can be encoded separately", () => {
  const last = { name: "data", filename: "f", contentType: "image/png" };
  const around = Buffer.concat([encodeUntil([text("a", "1")], last, "b"), Buffer.from("x"), encodeEnd("b")]);
  const whole = encodeMultipart(
    [text("a", "1"), { ...last, content: { kind: "bytes", bytes: Buffer.from("x") } }],
    "b",
  );
  expect(around.toString()).toBe(whole.toString());
});

test("the parts of a request are in the order in which they were added, and undefined values are skipped", () => {
  const out = new RequestWriter("POST", "/post");
  out.partJson("json", { a: 1 });
  out.part("n", 5n);
  out.part("none", undefined);
  out.partJson("none", undefined);
  out.partBytes("none", undefined);
  out.partBytes("data[0]", Uint8Array.of(1), { contentType: "image/png", filename: "a.png" });
  out.partBytes("data[1]", Uint8Array.of(2));
  expect(out.body).toEqual({
    kind: "multipart",
    parts: [
      { name: "json", content: { kind: "json", value: { a: 1 } } },
      { name: "n", content: { kind: "text", text: "5" } },
      {
        name: "data[0]",
        contentType: "image/png",
        filename: "a.png",
        content: { kind: "bytes", bytes: Uint8Array.of(1) },
      },
      { name: "data[1]", content: { kind: "bytes", bytes: Uint8Array.of(2) } },
    ],
  });
});

test.each<[(out: RequestWriter) => void, string]>([
  [
    (out) => out.partBytes("data", new Uint8Array(), { contentType: "image/png\r\nx-evil: 1" }),
    "content-type: contains a line break, a control character, or a character outside Latin-1, so it cannot be sent in the header; send printable text on one line",
  ],
  [
    (out) => out.partBytes("data", new Uint8Array(), { filename: "\ud800" }),
    "data filename: contains a lone surrogate, so it cannot be sent in the form; send well-formed Unicode",
  ],
  [(out) => out.part("a", Number.NaN), "a: is NaN, so it cannot be sent in the form; send a finite number"],
  [
    (out) => out.part("\udc00", "x"),
    "\udc00: contains a lone surrogate, so it cannot be sent in the form; send well-formed Unicode",
  ],
])("the parts of a request are rejected if they cannot be sent", async (write, expected) => {
  const error = await failureOf(() => write(new RequestWriter("POST", "/post")));
  expect(error.rawMessage).toBe(expected.replace("\udc00", "\ufffd"));
});
