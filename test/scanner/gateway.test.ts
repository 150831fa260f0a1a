import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startGateway } from "connect-rest-gateway";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { WasmPrinter } from "../../codec/src/print/wasm-printer.ts";
import { Scanner } from "../../codec/src/scan/scanner.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";

/** A post with an unknown key, which is collected after all other fields. */
const POST =
  '{"id":735000000000051460,"id_string":"735000000000051460","type":"text","zz_new":[1.50],"serve_id":"x"}';

const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(`{"meta":{"status":200},"response":{"posts":[${POST}]}}`);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());
afterEach(() => void vi.restoreAllMocks());

/** Returns the JSON that a gateway sends for a call, and counts the use of WebAssembly. */
async function called(webAssembly: boolean | undefined) {
  const scan = vi.spyOn(Scanner.prototype, "scan");
  const print = vi.spyOn(WasmPrinter.prototype, "print");
  const { port } = server.address() as AddressInfo;
  const gateway = await startGateway({
    adapters: [PostServiceRest],
    upstreams: { blog: { bases: { api: `http://127.0.0.1:${port}` }, credentials: { apiKey: "key" } } },
    limits: { drainNoticeMs: 1 },
    ...(webAssembly !== undefined && { webAssembly }),
  });
  try {
    const response = await fetch(`${gateway.url}/blog.v1.PostService/ListPosts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"blogIdentifier":"demo"}',
    });
    const text = await response.text();
    return { text, scanned: scan.mock.results.length, printed: print.mock.results.length };
  } finally {
    vi.restoreAllMocks();
    await gateway.close();
  }
}

test("a gateway reads and prints with WebAssembly unless WebAssembly is turned off, with the same result", async () => {
  const usual = await called(undefined);
  const plain = await called(false);
  expect(usual).toMatchObject({ scanned: 1, printed: 1 });
  expect(plain).toMatchObject({ text: usual.text, scanned: 0, printed: 0 });
  expect(usual.text).toContain('"zz_new":"[1.50]"');
});
