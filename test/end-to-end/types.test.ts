/** Tests the setting `types`, which adds types of google.protobuf.Any to the adapters' types. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCli } from "../../gateway/src/testing/child.ts";
import { httpUpstream, textOfRequest } from "../../runtime/src/testing/servers.ts";

const GENERATED = join(import.meta.dirname, "../gen/rules/v1");
const FOREIGN = { "@type": "type.googleapis.com/rules.v1.Foreign", name: "f" };

const directory = mkdtempSync(join(tmpdir(), "connect-rest-types-"));
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * Starts a gateway, and sends it an Any whose type no adapter imports. Returns the gateway's response and the
 * request that the upstream received.
 */
async function start(settings: string) {
  const bodies: string[] = [];
  await using upstream = await httpUpstream(async (request, response) => {
    bodies.push(await textOfRequest(request));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ done: true, response: FOREIGN }));
  });
  const config = [
    `adapters: [${GENERATED}/any_rest.ts]`,
    `upstreams: { rules: { baseUrl: "${upstream.url}" } }`,
    "server: { limits: { drainNoticeMs: 1 } }",
    settings,
  ];
  writeFileSync(join(directory, "connect-rest.yaml"), config.join("\n"));
  const run = runCli(["serve"], directory);
  try {
    const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
    const call = await fetch(`${url}/rules.v1.AnyService/Start`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: FOREIGN }),
    });
    return { response: await call.json(), bodies: bodies.map((body) => JSON.parse(body)) };
  } finally {
    run.process.kill("SIGTERM");
    await run.exit;
  }
}

test("an Any of a type that `types` lists reaches the upstream and the caller", async () => {
  const { response, bodies } = await start(`types: [${GENERATED}/foreign_pb.ts]`);
  expect(response).toEqual({ done: true, response: FOREIGN });
  expect(bodies).toEqual([{ input: FOREIGN }]);
});

test("an Any of an unlisted type is rejected", async () => {
  const { response, bodies } = await start("");
  expect(response).toMatchObject({ code: "invalid_argument" });
  expect(bodies).toEqual([]);
});
