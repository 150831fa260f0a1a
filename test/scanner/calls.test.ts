import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import { createRest, type Difference, type DifferenceOptions } from "connect-rest-runtime";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { Scanner } from "../../codec/src/scan/scanner.ts";
import { ListPostsRequestSchema } from "../../gen/blog/v1/post_pb.ts";
import { PostService_listPosts, PostServiceRest } from "../../gen/blog/v1/post_rest.ts";

const USUAL = '{"id":735000000000051460,"id_string":"735000000000051460","type":"text","body":"marked"}';
/** A key that no field collects, next to the posts. */
const MORE = `${USUAL}],"marked_new":[true`;
/** A key that comes twice next to the posts, which the scanner leaves to the decoder. */
const REPEATED = `${USUAL}],"marked_new":[true],"marked_new":[false`;
const DRIFTED = '{"id":1,"type":"text","body":"marked","note_count":"many"}';

let body = "";
const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(body);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());
afterEach(() => void vi.restoreAllMocks());

/**
 * Lists a page with one post several times. Returns the results, and how often a body was parsed and scanned.
 */
async function listed(post: string, scanner: boolean | undefined, calls = 1, levels: DifferenceOptions = {}) {
  body = `{"meta":{"status":200},"response":{"posts":[${post}]}}`;
  const differences: Difference[] = [];
  const { port } = server.address() as AddressInfo;
  const parse = vi.spyOn(JSON, "parse");
  const scan = vi.spyOn(Scanner.prototype, "scan");
  const rest = createRest({
    adapters: [PostServiceRest],
    upstreams: { blog: { baseUrl: `http://127.0.0.1:${port}`, credentials: { apiKey: "key" } } },
    differences: levels,
    onDifference: (report) => differences.push(...report.differences),
    scanner,
  });
  try {
    const message = create(ListPostsRequestSchema, { blogIdentifier: "demo" });
    const found = [];
    for (let i = 0; i < calls; i++) {
      const { bytes } = await rest.call(PostService_listPosts, message);
      found.push(Buffer.from(bytes).toString("hex"));
    }
    const parsed = parse.mock.calls.filter(([text]) => String(text).includes("marked")).length;
    return { found, differences, parsed, scanned: scan.mock.calls.length };
  } finally {
    vi.restoreAllMocks();
    await rest.close();
  }
}

test("an ordinary response is read without JSON.parse, and gives the same bytes", async () => {
  const byScanner = await listed(USUAL, undefined);
  const byDecoder = await listed(USUAL, false);
  expect(byScanner.found).toEqual(byDecoder.found);
  expect(byScanner).toMatchObject({ parsed: 0, scanned: 1 });
  expect(byDecoder).toMatchObject({ scanned: 0 });
  expect(byDecoder.parsed).toBeGreaterThan(0);
});

test("a response with a difference is reported in the same way with and without the scanner", async () => {
  const byScanner = await listed(DRIFTED, true);
  const byDecoder = await listed(DRIFTED, false);
  expect(byScanner.found).toEqual(byDecoder.found);
  expect(byScanner.differences).toEqual(byDecoder.differences);
  expect(byScanner.differences).toHaveLength(1);
});

test("a response with an unknown key is scanned, and reported in the same way as without the scanner", async () => {
  const byScanner = await listed(MORE, true);
  const byDecoder = await listed(MORE, false);
  expect(byScanner).toMatchObject({ parsed: 0, scanned: 1, found: byDecoder.found });
  expect(byScanner.differences).toEqual(byDecoder.differences);
  expect(byScanner.differences).toMatchObject([{ path: "marked_new", got: "array", class: "additional" }]);
});

test("an unknown key fails the call in strict mode, with and without the scanner", async () => {
  const failing = (scanner: boolean) => listed(MORE, scanner, 1, { additional: "fail" }).catch(String);
  const errors = [await failing(true), await failing(false)];
  expect(errors[0]).toContain("marked_new");
  expect(errors[0]).toBe(errors[1]);
});

test("a method whose responses the scanner cannot read is scanned only rarely", async () => {
  expect((await listed(REPEATED, true, 30)).scanned).toBeLessThan(6);
});
