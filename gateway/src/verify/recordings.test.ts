import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { exchangeOf } from "./har-entry.ts";
import { HarSplitter } from "./har-splitter.ts";
import { exchangesIn } from "./recordings.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-recordings-"));
afterAll(() => rmSync(directory, { recursive: true }));

const REQUEST = { method: "GET", url: "https://api.example/books?page=2", headers: [] };

function entry(content: object, headers: object[] = [], more: object = {}): string {
  return JSON.stringify({ request: REQUEST, response: { status: 200, headers, content, ...more } });
}

function bodyOf(text: string): string {
  const exchange = exchangeOf(text);
  if (typeof exchange === "string") throw new Error(exchange);
  return Buffer.from(exchange.response.body).toString("latin1");
}

async function read(file: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const exchange of exchangesIn(file)) found.push(exchange);
  return found;
}

function file(name: string, text: string): string {
  const place = path.join(directory, name);
  writeFileSync(place, text);
  return place;
}

test("entries are the same however the file is cut into chunks", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(
      fc.array(json),
      fc.dictionary(fc.string(), json),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      (entries, others, isLate, size) => {
        const { entries: _, ...before } = others;
        const log = isLate ? { ...before, entries } : { entries, ...before };
        const text = JSON.stringify({ comment: { log: { entries: [1] } }, log, rest: [{ entries: [2] }] });
        const bytes = Buffer.from(text);
        const splitter = new HarSplitter(1_000_000);
        const found: unknown[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          for (const each of splitter.texts(bytes.subarray(at, at + size))) found.push(JSON.parse(each));
        }
        expect(found).toEqual(JSON.parse(JSON.stringify(entries)));
        expect(splitter.ended).toBe(true);
      },
    ),
  );
});

test("bodies are read as text, as base64, and compressed", () => {
  const gzip = [{ name: "Content-Encoding", value: "gzip" }];
  const base64 = (bytes: Buffer) => ({ text: bytes.toString("base64"), encoding: "base64" });
  expect(bodyOf(entry({ text: "{}" }))).toBe("{}");
  expect(bodyOf(entry({ text: "{}" }, gzip))).toBe("{}");
  expect(bodyOf(entry(base64(Buffer.from("{}"))))).toBe("{}");
  expect(bodyOf(entry(base64(Buffer.from("{}")), gzip))).toBe("{}");
  expect(bodyOf(entry(base64(gzipSync("{}")), gzip))).toBe("{}");
  const twice = [{ name: "content-encoding", value: "gzip, br" }];
  expect(bodyOf(entry(base64(brotliCompressSync(gzipSync("{}"))), twice))).toBe("{}");
});

test("the charset of a body applies only to bodies that the recorder did not decode", () => {
  const headers = [{ name: "Content-Type", value: "application/json; charset=iso-8859-1" }];
  const typeOf = (text: string) => (exchangeOf(text) as Exchange).response.headers["content-type"];
  expect(typeOf(entry({ text: '"é"' }, headers))).toBe("application/json");
  const raw = Buffer.from('"é"', "latin1").toString("base64");
  expect(typeOf(entry({ text: raw, encoding: "base64" }, headers))).toBe(
    "application/json; charset=iso-8859-1",
  );
});

test("entries without a comparable response have a reason", () => {
  const request = { ...REQUEST, url: "wss://api.example/live" };
  expect(exchangeOf(JSON.stringify({ request, response: { status: 101 } }))).toBe("websocket");
  expect(exchangeOf(entry({}, [], { status: 0 }))).toBe("no response");
  expect(exchangeOf(entry({ size: 12 }))).toBe("no body");
  expect(bodyOf(entry({ size: 0 }))).toBe("");
  for (const other of ["null", "[]", "{}", "1", "{", '{"request":{"url":"::"},"response":{}}']) {
    expect(exchangeOf(other)).toBe("not an HTTP entry");
  }
});

test("hostile entries never throw", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const shape = fc.record(
    {
      request: fc.oneof(
        value,
        fc.record({ method: value, url: fc.oneof(value, fc.webUrl()), postData: value }),
      ),
      response: fc.oneof(
        value,
        fc.record({ status: fc.oneof(value, fc.constant(200)), headers: value, content: value }),
      ),
      _method: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(shape, (each) => {
      expect(["object", "string"]).toContain(typeof exchangeOf(JSON.stringify(each)));
    }),
  );
});

test("a truncated file, another file and a missing file have clear errors", async () => {
  const whole = `{"log":{"entries":[${entry({ text: "{}" })},${entry({ text: "{}" })}]}}`;
  const cut = file("cut.har", whole.slice(0, -30));
  await expect(read(cut)).rejects.toThrow(`${cut} is truncated after 1 complete entries; record it again`);
  const other = file("other.har", '{"entries":[]}');
  await expect(read(other)).rejects.toThrow(
    `${other} is not a HAR file: it has no list log.entries (HAR 1.2)`,
  );
  await expect(read(path.join(directory, "none.har"))).rejects.toThrow("none.har cannot be read: ENOENT");
  const broken = file("broken.har", '{"log":{"entries":[{} {}]}}');
  await expect(read(broken)).rejects.toThrow(`${broken}: after entry 1, the entries are not JSON`);
});

test("a folder contains HAR files, and JSON bodies by method and status", async () => {
  const folder = path.join(directory, "bodies");
  const method = path.join(folder, "a.v1.Books", "GetBook");
  mkdirSync(method, { recursive: true });
  writeFileSync(path.join(method, "1.json"), "{}");
  writeFileSync(path.join(method, "none.404.json"), "[]");
  writeFileSync(path.join(folder, "x.har"), `{"log":{"entries":[${entry({ text: "1" })}]}}`);
  expect(await read(folder)).toMatchObject([
    { method: "a.v1.Books/GetBook", response: { status: 200 } },
    { method: "a.v1.Books/GetBook", response: { status: 404 } },
    { request: { verb: "GET" }, response: { status: 200 } },
  ]);
});
