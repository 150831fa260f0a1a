import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import { createRest, type Difference } from "connect-rest-runtime";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { Scanner } from "../../codec/src/scan/scanner.ts";
import { ListPostsRequestSchema } from "../../gen/blog/v1/post_pb.ts";
import { PostService_listPosts, PostServiceRest } from "../../gen/blog/v1/post_rest.ts";

let body: Buffer = Buffer.alloc(0);
const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(body);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());
afterEach(() => void vi.restoreAllMocks());

/** Returns a page of about 1 MB, with this last post. */
function page(last: string, around = ""): Buffer {
  const post = (id: number) =>
    `{"id":${735000000000051460n + BigInt(id)},"type":"text","body":"marked ${"é".repeat(200)}"}`;
  const posts = Array.from({ length: 2200 }, (_, id) => post(id));
  return Buffer.from(
    `{"meta":{"status":200},"response":{${around}"posts":[${posts},${last}],"total_posts":7}}`,
  );
}

function rest(scanner: boolean | undefined, onDifference?: (differences: readonly Difference[]) => void) {
  const { port } = server.address() as AddressInfo;
  return createRest({
    adapters: [PostServiceRest],
    upstreams: { blog: { baseUrl: `http://127.0.0.1:${port}`, credentials: { apiKey: "key" } } },
    onDifference: (report) => onDifference?.(report.differences),
    scanner,
  });
}

const message = create(ListPostsRequestSchema, { blogIdentifier: "demo" });

/** Returns the result of a call, its differences, and how often a page was parsed. */
async function listed(scanner: boolean | undefined) {
  const differences: Difference[] = [];
  const parse = vi.spyOn(JSON, "parse");
  const used = rest(scanner, (found) => differences.push(...found));
  try {
    const { bytes } = await used.call(PostService_listPosts, message);
    const parsed = parse.mock.calls.filter(([text]) => String(text).includes("marked")).length;
    return { bytes: Buffer.from(bytes).toString("hex"), differences, parsed };
  } finally {
    vi.restoreAllMocks();
    await used.close();
  }
}

test.each([
  ["an ordinary page", page('{"id":1,"type":"text"}'), true],
  ["a page with unknown keys", page('{"id":1,"type":"text"}', '"brand_new":[1],"other_new":2,'), true],
  ["a page with a difference in its last post", page('{"id":1,"type":"text","note_count":"many"}'), true],
  ["a page whose envelope has an error at the end", page('{"id":1}', '"a":1},"response":{'), false],
])("%s of 1 MB gives the same message as with the decoder", async (_, text, isScanned) => {
  body = text;
  const byScanner = await listed(undefined);
  const byDecoder = await listed(false);
  expect(byScanner.bytes === byDecoder.bytes).toBe(true);
  expect(byScanner.differences).toEqual(byDecoder.differences);
  expect(byScanner.parsed > 0).toBe(!isScanned);
});

test("calls that are cancelled while their response is read release their memory, and do not affect other calls", async () => {
  body = page('{"id":1,"type":"text"}');
  const expected = (await listed(false)).bytes;
  const read = Scanner.prototype.scanInPieces;
  let leave: (() => void) | undefined;
  let left = 0;
  vi.spyOn(Scanner.prototype, "scanInPieces").mockImplementation(function* (this: Scanner, ...args) {
    const work = read.apply(this, args);
    let isWhole = false;
    try {
      for (let steps = 0; ; steps++) {
        const step = work.next();
        if (step.done === true) {
          isWhole = true;
          return step.value;
        }
        // A step with more work than one event-loop turn allows.
        yield steps === 1 ? 1e9 : step.value;
        if (steps === 0) leave?.();
      }
    } finally {
      if (!isWhole) left++;
    }
  });
  const used = rest(undefined);
  // Together these calls exceed the limit of responses in progress.
  for (let count = 0; count < 20; count++) {
    const abort = new AbortController();
    leave = () => abort.abort(new Error("left"));
    await expect(used.call(PostService_listPosts, message, { signal: abort.signal })).rejects.toThrow(
      "canceled",
    );
  }
  expect(left).toBe(20);
  leave = undefined;
  const all = Array.from({ length: 5 }, () => used.call(PostService_listPosts, message));
  for (const { bytes } of await Promise.all(all)) {
    expect(Buffer.from(bytes).toString("hex") === expected).toBe(true);
  }
  await used.close();
});
