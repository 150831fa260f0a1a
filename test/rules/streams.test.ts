import { Code } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { StreamService } from "../gen/rules/v1/streams_pb.ts";
import { StreamServiceRest } from "../gen/rules/v1/streams_rest.ts";
import { type Answers, type Seen, type Settings, start } from "./world.ts";

const streams = (answers?: Answers, settings?: Settings) =>
  start(StreamService, StreamServiceRest, answers, settings);

async function idsOf(entries: AsyncIterable<{ readonly id: bigint }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of entries) ids.push(Number(id));
  return ids;
}

const entries = (...ids: number[]) => ids.map((id) => ({ id }));
const lines = (seen: readonly Seen[]) => seen.map(({ line }) => line);

test("link: a string or an object with href in the payload leads to the next page, with its query unchanged", async () => {
  const { client, seen } = await streams([
    { json: { response: { entries: entries(1, 2), links: { next: { href: "/link?after=2&x=%5B1%5D" } } } } },
    { json: { response: { entries: entries(3), links: { next: "?after=3" } } } },
    { json: { response: { entries: [] } } },
  ]);
  expect(await idsOf(client.byLink({ query: "q" }))).toEqual([1, 2, 3]);
  expect(lines(seen)).toEqual(["GET /link?query=q", "GET /link?after=2&x=%5B1%5D", "GET /link?after=3"]);
});

test("link: the query of a link object is added to the address, whose own parameters take precedence", async () => {
  const next = `{"href":"/link?x=1","query":{"after":"2","page":900719925474099312345,"x":"5","a[0]":"é","dots":true,"list":[],"none":null}}`;
  const { client, seen } = await streams([
    { body: `{"response":{"entries":[{"id":1}],"links":{"next":${next}}}}` },
    { json: { response: { entries: [] } } },
  ]);
  expect(await idsOf(client.byLink({ query: "q" }))).toEqual([1]);
  expect(lines(seen)[1]).toBe("GET /link?x=1&after=2&page=900719925474099312345&a%5B0%5D=%C3%A9&dots=true");
});

test("link: a query value that cannot be sent as a parameter is reported as lost", async () => {
  const next = { href: "/link?x=1", query: { list: [1], after: "2" } };
  const { client, differences } = await streams({
    json: { response: { entries: entries(1), links: { next } } },
  });
  const error = await failureOf(idsOf(client.byLink({})));
  expect([reasonOf(error), differences]).toMatchObject([
    "RESPONSE_DRIFT",
    [{ path: "links.next.query.list" }],
  ]);
});

test("link_always: a page without the key fails the call, and null ends the list", async () => {
  const next = "/sure-link?page=2";
  const ended = await streams([
    { json: { entries: entries(1), next, count: 2 } },
    { json: { entries: entries(2), next: null } },
  ]);
  expect(await idsOf(ended.client.bySureLink({}))).toEqual([1, 2]);
  const renamed = await streams([{ json: { entries: entries(1), next } }, { json: { entries: entries(2) } }]);
  const error = await failureOf(idsOf(renamed.client.bySureLink({})));
  expect([reasonOf(error), lines(renamed.seen)]).toEqual([
    "RESPONSE_SHAPE",
    ["GET /sure-link", `GET ${next}`],
  ]);
});

test("max_empty_pages: one page without items is skipped, and two in a row fail the call", async () => {
  const page = (number: number, ...ids: number[]) => ({
    json: { entries: entries(...ids), next: `/sure-link?page=${number}` },
  });
  const last = { json: { entries: entries(9), next: null } };
  const { client } = await streams([page(2), page(3, 1), page(4), last]);
  expect(await idsOf(client.bySureLink({}))).toEqual([1, 9]);
  const empty = await streams([page(2, 1), page(3), page(4), last]);
  const error = await failureOf(idsOf(empty.client.bySureLink({})));
  expect([reasonOf(error), empty.seen.length]).toEqual(["EMPTY_PAGES_EXCEEDED", 3]);
});

test("items: the first path that leads to an array is used", async () => {
  const { client, seen } = await streams([
    { json: { response: { entries: { list: entries(1, 2) }, links: { next: { href: "/link?page=2" } } } } },
    { json: { response: { entries: entries(3), links: { next: { href: "/link?page=3" } } } } },
    { json: { response: { entries: {} } } },
  ]);
  expect(await idsOf(client.byLink({}))).toEqual([1, 2, 3]);
  expect(seen.length).toBe(3);
});

test("link: a link to another host is not followed", async () => {
  const next = "http://127.0.0.1:1/link";
  const { client } = await streams({ json: { response: { entries: entries(1), links: { next } } } });
  const error = await failureOf(idsOf(client.byLink({})));
  expect([Code.Internal, Code.FailedPrecondition]).toContain(error.code);
});

test("link_header: the Link header has the next page's address, and the payload is the list", async () => {
  const { client, seen } = await streams([
    {
      json: entries(1),
      headers: { link: '</link-header?page=0>; rel="prev", </link-header?page=2>; rel=next' },
    },
    { json: entries(2) },
  ]);
  expect(await idsOf(client.byLinkHeader({ query: "q" }))).toEqual([1, 2]);
  expect(lines(seen)).toEqual(["GET /link-header?query=q", "GET /link-header?page=2"]);
});

test("offset: the offset grows by the number of items, from the caller's offset", async () => {
  const { client, seen } = await streams([
    { json: { entries: entries(1, 2) } },
    { json: { entries: entries(3) } },
    { json: { entries: [] } },
  ]);
  expect(await idsOf(client.byOffset({ query: "q", offset: 10 }))).toEqual([1, 2, 3]);
  expect(lines(seen)).toEqual([
    "GET /offset?query=q&offset=10",
    "GET /offset?query=q&offset=12",
    "GET /offset?query=q&offset=13",
  ]);
});

test("page: the page number grows by one, from the caller's page", async () => {
  const { client, seen } = await streams([{ json: { entries: entries(1) } }, { json: { entries: [] } }]);
  expect(await idsOf(client.byPage({ page: 4 }))).toEqual([1]);
  expect(lines(seen)).toEqual(["GET /page?page=4", "GET /page?page=5"]);
});

test("max_pages: the call fails after it has delivered the items of the last allowed page", async () => {
  const { client, seen } = await streams({ json: { entries: entries(1) } });
  const ids: bigint[] = [];
  const error = await failureOf(
    (async () => {
      for await (const { id } of client.byPage({})) ids.push(id);
    })(),
  );
  expect(error.message).toBe(
    "[resource_exhausted] upstream rules: rules.v1.StreamService.ByPage: the list has more than 2 pages",
  );
  expect(ids).toEqual([1n, 1n]);
  expect(lines(seen)).toEqual(["GET /page", "GET /page?page=2"]);
});

test("cursor: a value from the payload is sent in the field, in the query or in a body", async () => {
  const { client, seen } = await streams([
    { json: { entries: entries(1), meta: { cursor: "c&1" } } },
    { json: { entries: entries(2), meta: { cursor: null } } },
  ]);
  expect(await idsOf(client.byCursor({ query: "q" }))).toEqual([1, 2]);
  expect(seen.map(({ line, text }) => [line, text])).toEqual([
    ["POST /cursor", '{"query":"q"}'],
    ["POST /cursor", '{"query":"q","cursor":"c&1"}'],
  ]);
});

test("last_item: a value of the last item is sent in the field for the next page", async () => {
  const { client, seen } = await streams([{ json: { entries: entries(9, 7) } }, { json: { entries: [] } }]);
  expect(await idsOf(client.byLastItem({}))).toEqual([9, 7]);
  expect(lines(seen)).toEqual(["GET /last-item", "GET /last-item?cursor=7"]);
});

test("poll: new items are delivered, oldest first, with the ETag and interval of the last response", async () => {
  const clock = new FakeClock();
  const polled: Array<() => void> = [];
  const answers = [
    { json: { entries: entries(2, 1) }, headers: { etag: 'W/"a"', "x-poll-interval": "5" } },
    { status: 304 },
    { json: { entries: entries(4, 3, 2) }, headers: { etag: '"b"' } },
  ];
  const { client, seen } = await streams(
    (_request, index) => {
      polled[index]?.();
      return answers[index] ?? { status: 304 };
    },
    { clock },
  );
  const stop = new AbortController();
  const read = (async () => {
    const ids: number[] = [];
    for await (const { id } of client.watchEntries({ name: "a/b" }, { signal: stop.signal })) {
      if (ids.push(Number(id)) === 2) break;
    }
    return ids;
  })();
  await advanceUntil(clock, () => seen.length >= 3, read);
  expect(await read).toEqual([3, 4]);
  stop.abort();
  expect(seen.slice(0, 3).map(({ line, headers }) => [line, headers])).toEqual([
    ["GET /feed/a%2Fb", []],
    ["GET /feed/a%2Fb", ['if-none-match: W/"a"']],
    ["GET /feed/a%2Fb", ['if-none-match: W/"a"']],
  ]);
});

/** Lets calls run, and advances the clock by a second each time the event loop is idle. */
async function advanceUntil(clock: FakeClock, done: () => boolean, read: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  read.then(over, over);
  while (!done() && !isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!done()) clock.advance(10);
  }
}

async function* chunks<T>(...messages: readonly T[]): AsyncGenerator<T> {
  yield* messages;
}

test("upload: the body consists of the chunks, and the other fields go to the path, the query and headers", async () => {
  const { client, seen } = await streams({ json: { id: 5 } });
  const answer = await client.uploadBody(
    chunks(
      { name: "a/b", type: "image/png", replace: true, chunk: Buffer.from("one,") },
      { chunk: Buffer.from("two") },
    ),
  );
  expect(answer.id).toBe(5n);
  expect(seen[0]?.line).toBe("PUT /files/a%2Fb?replace=true");
  expect(seen[0]?.headers).toEqual(["content-type: image/png"]);
  expect(seen[0]?.text).toBe("one,two");
});

/** Returns the body of a multipart request, with its boundary replaced by `B` and its line ends by `|`. */
function parts({ headers, text }: Seen): string {
  const boundary = /boundary=(\S+)/.exec(headers.join("\n"))?.[1] ?? "none";
  return text.replaceAll(boundary, "B").replaceAll("\r\n", "|");
}

test("upload: the chunks form a part after the JSON part, and a field sets the part's name", async () => {
  const { client, seen } = await streams();
  await client.uploadPart(
    chunks(
      { title: "T", part: "file", filename: "f.bin", type: "image/gif", chunk: Buffer.from("GIF") },
      { chunk: Buffer.from("89a") },
    ),
  );
  expect(seen[0]?.line).toBe("POST /files");
  expect(parts(seen[0] as Seen)).toBe(
    '--B|content-disposition: form-data; name="json"|content-type: application/json||{"title":"T"}|' +
      '--B|content-disposition: form-data; name="file"; filename="f.bin"|content-type: image/gif||GIF89a|--B--|',
  );
});

test("upload: the chunks form a part with a fixed name, after the parts of the fields", async () => {
  const { client, seen } = await streams();
  await client.uploadNamedPart(chunks({ title: "T", chunk: Buffer.from("x") }));
  expect(parts(seen[0] as Seen)).toBe(
    '--B|content-disposition: form-data; name="title"||T|' +
      '--B|content-disposition: form-data; name="data"|content-type: application/octet-stream||x|--B--|',
  );
});

test("download: the body arrives in chunks, and fields from headers are in the first message", async () => {
  const body = Buffer.alloc(200_000, "abcdefg");
  const { client, seen } = await streams({ headers: { "content-type": "video/mp4" }, body });
  const types: string[] = [];
  const read: Uint8Array[] = [];
  for await (const { chunk, type } of client.downloadFile({ name: "a b" })) {
    types.push(type);
    read.push(chunk);
  }
  expect(seen[0]?.line).toBe("GET /files/a%20b");
  expect(types[0]).toBe("video/mp4");
  expect(types.slice(1).every((type) => type === "")).toBe(true);
  expect(Buffer.concat(read).equals(body)).toBe(true);
});

test("property: the upstream receives all bytes in order, however they are chunked", async () => {
  const { client, seen } = await streams();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 50 }), { minLength: 1, maxLength: 6 }),
      async (cut) => {
        await client.uploadBody(
          chunks(...cut.map((chunk, index) => (index === 0 ? { name: "n", chunk } : { chunk }))),
        );
        expect(seen.at(-1)?.body).toEqual(Buffer.concat(cut));
      },
    ),
    { numRuns: 25 },
  );
});

test("batches: resume fields are not sent, and case-insensitive values are sent in lower case", async () => {
  const { client, seen } = await streams({
    json: [{ id: 2 }, { id: 1 }],
    headers: { "x-poll-interval": "3600" },
  });
  const leave = new AbortController();
  const first = async (request: Parameters<typeof client.watchBatches>[0]) => {
    for await (const batch of client.watchBatches(request, { signal: leave.signal })) return batch;
    throw new Error("the stream has no message");
  };
  const all = await first({ owner: "Ada", repo: "Tea.Pot", backlog: true });
  expect(all.events.map(({ id }) => id)).toEqual([1n, 2n]);
  const { events } = await first({ owner: "ada", repo: "tea.pot", afterId: "1" });
  expect(events.map(({ id }) => id)).toEqual([2n]);
  expect(lines(seen)).toEqual(["GET /repos/ada/tea.pot/entries"]);
  expect((await failureOf(first({ owner: "ada", repo: "x", backlog: true, afterId: "1" }))).code).toBe(
    Code.InvalidArgument,
  );
  leave.abort();
});
