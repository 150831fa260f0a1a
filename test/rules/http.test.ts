import { toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { Genre, HttpService, ValuesSchema } from "../gen/rules/v1/http_pb.ts";
import { HttpServiceRest } from "../gen/rules/v1/http_rest.ts";
import { type Answers, start } from "./world.ts";

const http = (answers?: Answers) => start(HttpService, HttpServiceRest, answers);
const BOOK = { id: "b", fullTitle: "T", author: { id: "a", last_name: "L" } };

test("get: a variable fills one percent-encoded segment, and other fields go to the query", async () => {
  const { client, seen, origin } = await http({ json: BOOK });
  const book = await client.getBook({ id: "a/b c%ü", fullText: true });
  expect(seen[0]?.line).toBe("GET /v1/books/a%2Fb%20c%25%C3%BC?fullText=true");
  expect(seen[0]?.allHeaders).toEqual([
    `host: ${origin.slice("http://".length)}`,
    "connection: keep-alive",
    expect.stringMatching(/^user-agent: connect-rest-runtime\/\d/),
    "accept-encoding: gzip, br, zstd",
    "accept: application/json",
  ]);
  expect(seen[0]?.text).toBe("");
  expect(book).toMatchObject({ id: "b", fullTitle: "T", author: { id: "a", lastName: "L" } });
});

test("a pattern: slashes in the value are kept, and the value must match the pattern", async () => {
  const { client, seen } = await http({ json: BOOK });
  await client.getCopy({ name: "shelves/a b", copy: "copies/1/2:3" });
  expect(seen[0]?.line).toBe("GET /v1/shelves/a%20b/copies/1/2%3A3:read");
  for (const name of ["shelves", "shelves/", "shelves/1/2", "rows/1", "shelves/.."]) {
    const error = await failureOf(client.getCopy({ name, copy: "copies/1" }));
    expect(error.code, name).toBe(Code.InvalidArgument);
  }
  expect(seen).toHaveLength(1);
});

test("property: a variable with any value is decoded unchanged from its segment", async () => {
  const { client, seen } = await http({ json: BOOK });
  const value = fc
    .string({ unit: "binary", minLength: 1, maxLength: 20 })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
    .filter((text) => !/[\x00-\x1f\x7f]/.test(text) && text !== "." && text !== ".." && text.isWellFormed());
  await fc.assert(
    fc.asyncProperty(value, async (id) => {
      await client.getBook({ id });
      expect(decodeURIComponent(seen.at(-1)?.line.slice("GET /v1/books/".length) ?? "")).toBe(id);
    }),
    { numRuns: 50 },
  );
});

test("a nested field fills the path, its siblings go to the query, and lists repeat the parameter", async () => {
  const { client, seen } = await http({ json: BOOK });
  const book = { id: "b", fullTitle: "T&T", author: { id: "a", lastName: "L" } };
  await client.getAuthor({ book, parts: ["x", "y"] });
  expect(seen[0]?.line).toBe(
    "GET /v1/authors/a?book.id=b&book.fullTitle=T%26T&book.author.lastName=L&parts=x&parts=y",
  );
});

test("body *: the body has all fields that are not in the path", async () => {
  const { client, seen } = await http({ json: BOOK });
  await client.createBook({ shelf: "shelves/1", book: { id: "b", fullTitle: "T" }, requestId: 2n ** 60n });
  expect(seen[0]?.line).toBe("POST /v1/shelves/1/books");
  expect(seen[0]?.headers).toEqual(["content-type: application/json"]);
  expect(seen[0]?.text).toBe('{"book":{"id":"b","fullTitle":"T"},"requestId":"1152921504606846976"}');
});

test("body *: a nested field in the path is not in the body", async () => {
  const { client, seen } = await http({ json: BOOK });
  await client.moveBook({ book: { id: "b", fullTitle: "T" }, parts: ["x"] });
  expect(seen[0]?.line).toBe("POST /v1/books/b:move");
  expect(seen[0]?.text).toBe('{"book":{"fullTitle":"T"},"parts":["x"]}');
});

test("put: the body is one field, and the other fields go to the query", async () => {
  const { client, seen } = await http({ json: BOOK });
  const updateMask = { paths: ["full_title", "author.last_name"] };
  await client.replaceBook({ id: "1", book: { id: "b", fullTitle: "T" }, updateMask });
  expect(seen[0]?.line).toBe("PUT /v1/books/1?updateMask=fullTitle%2Cauthor.lastName");
  expect(seen[0]?.text).toBe('{"id":"b","fullTitle":"T"}');
});

test("patch: the body is the field that contains the path variable, without the variable", async () => {
  const { client, seen } = await http({ json: BOOK });
  await client.updateBook({ book: { id: "b/1", fullTitle: "T" } });
  expect(seen[0]?.line).toBe("PATCH /v1/books/b%2F1");
  expect(seen[0]?.text).toBe('{"fullTitle":"T"}');
});

test("body and response_body: lists and maps are written and read", async () => {
  const { client, seen } = await http((_seen, index) => ({ json: index === 0 ? ["c"] : { a: "1", b: 2 } }));
  expect((await client.replaceTags({ tags: ["a", "b"] })).tags).toEqual(["c"]);
  expect(seen[0]?.line).toBe("PUT /v1/tags");
  expect(seen[0]?.text).toBe('["a","b"]');
  expect((await client.countBooks({})).counts).toEqual({ a: 1n, b: 2n });
});

test("a body that is an empty list is sent", async () => {
  const { client, seen } = await http({ json: [] });
  await client.replaceTags({});
  expect(seen[0]?.text).toBe("[]");
  expect(seen[0]?.headers).toContain("content-type: application/json");
});

test("delete and custom verbs: a body is sent only if the rule says so", async () => {
  const { client, seen } = await http((_seen, index) => (index === 1 ? { body: "" } : { status: 204 }));
  await client.deleteBook({ id: "1", fullText: true });
  await client.checkBook({ id: "1" });
  await client.purgeBook({ id: "1", fullText: true });
  expect(seen.map(({ line, text }) => [line, text])).toEqual([
    ["DELETE /v1/books/1?fullText=true", ""],
    ["HEAD /v1/books/1", ""],
    ["PURGE /v1/books/1", '{"fullText":true}'],
  ]);
});

test("additional_bindings: the first binding whose path variables are all set is used", async () => {
  const { client, seen } = await http({ json: [{ id: "1" }, { id: "2" }] });
  const { books } = await client.listBooks({ shelf: "shelves/1", row: 0, pageSize: 5 });
  await client.listBooks({ shelf: "shelves/1", pageSize: 5 });
  await client.listBooks({ pageSize: 5 });
  expect(seen.map(({ line, text }) => [line, text])).toEqual([
    ["GET /v1/shelves/1/rows/0?pageSize=5", ""],
    ["GET /v1/shelves/1/books?pageSize=5", ""],
    ["POST /v1/books:search", '{"pageSize":5}'],
  ]);
  expect(books.map(({ id }) => id)).toEqual(["1", "2"]);
});

test("query: every type is written in ProtoJSON notation", async () => {
  const { client, seen } = await http({ status: 204 });
  await client.findBooks({
    text: "ä &=+?#/",
    inPrint: true,
    int32: -5,
    int64: -(2n ** 63n),
    uint64: 2n ** 64n - 1n,
    double: 1e300,
    float: 0.1,
    cover: Uint8Array.of(0xfb, 0xff, 0xfe, 1),
    genre: Genre.POETRY,
    genres: [Genre.PROSE, 7 as Genre],
    words: ["a", ""],
    author: { id: "i", lastName: "l" },
    zero: 0,
    no: false,
    empty: "",
    noGenre: Genre.UNSPECIFIED,
    since: timestampFromDate(new Date("2026-01-02T03:04:05.600Z")),
    loan: { seconds: 90n, nanos: 500_000_000 },
    mask: { paths: ["full_title", "id"] },
    note: "",
    big: 2n ** 53n + 1n,
    flag: false,
  });
  expect(seen[0]?.line.split(/[?&]/)).toEqual([
    "GET /v1/books",
    "text=%C3%A4%20%26%3D%2B%3F%23%2F",
    "inPrint=true",
    "int32=-5",
    "int64=-9223372036854775808",
    "uint64=18446744073709551615",
    "double=1e%2B300",
    "float=0.1",
    "cover=%2B%2F%2F%2BAQ%3D%3D",
    "genre=GENRE_POETRY",
    "genres=GENRE_PROSE",
    "genres=7",
    "words=a",
    "words=",
    "author.id=i",
    "author.lastName=l",
    "zero=0",
    "no=false",
    "empty=",
    "noGenre=GENRE_UNSPECIFIED",
    "since=2026-01-02T03%3A04%3A05.600Z",
    "loan=90.500s",
    "mask=fullTitle%2Cid",
    "note=",
    "big=9007199254740993",
    "flag=false",
  ]);
});

test("query: unset fields, and zeros without presence, are not sent", async () => {
  const { client, seen } = await http({ status: 204 });
  await client.findBooks({});
  expect(seen[0]?.line).toBe("GET /v1/books");
  const error = await failureOf(client.findBooks({ double: Number.NaN }));
  expect(error.message).toBe(
    "[invalid_argument] double: is NaN, so it cannot be sent in the query; send a finite number",
  );
  expect(seen).toHaveLength(1);
});

test("well-known types in JSON are written and read as ProtoJSON", async () => {
  const json = {
    timestamp: "2026-01-02T03:04:05.600Z",
    duration: "-1.500s",
    mask: "fullTitle,id",
    struct: { a: [1, null, { b: true }] },
    value: null,
    list: [1, "x", [], {}],
    double: "Infinity",
    uint64: "18446744073709551615",
    bytes: "+/8=",
    empty: {},
    zero: 0,
    genre: "GENRE_PROSE",
    data: "AQI=",
    genres: { "-3": "GENRE_POETRY" },
  };
  const { client, seen, differences } = await http({ json });
  const { $typeName, ...values } = await client.echoValues({});
  await client.echoValues(values);
  expect(seen[0]?.text).toBe("{}");
  expect(seen[1]?.text).toBe(JSON.stringify(json));
  expect(toJson(ValuesSchema, { $typeName, ...values })).toEqual(json);
  expect(differences).toEqual([]);
});

test("google.api.HttpBody: bytes are written and read with their Content-Type", async () => {
  const body = Uint8Array.of(0, 255, 13, 10);
  const { client, seen } = await http({ headers: { "content-type": "image/webp" }, body });
  const answer = await client.convert({ contentType: "image/png", data: Uint8Array.of(137, 80, 0) });
  expect(seen[0]?.line).toBe("POST /v1/convert");
  expect(seen[0]?.headers).toEqual(["content-type: image/png"]);
  expect([...(seen[0]?.body ?? [])]).toEqual([137, 80, 0]);
  expect(answer).toMatchObject({ contentType: "image/webp", data: body });
});

test("google.api.HttpBody: a field of the request or of the response can be the body", async () => {
  const { client, seen } = await http({ headers: { "content-type": "text/plain" }, body: "ok" });
  const cover = { contentType: "image/gif", data: Buffer.from("GIF89a") };
  const answer = await client.replaceCover({ id: "1", cover, dryRun: true });
  expect(seen[0]?.line).toBe("PUT /v1/books/1/cover?dryRun=true");
  expect(seen[0]?.headers).toEqual(["content-type: image/gif"]);
  expect(seen[0]?.text).toBe("GIF89a");
  expect(answer.cover).toMatchObject({ contentType: "text/plain", data: new Uint8Array(Buffer.from("ok")) });
});
