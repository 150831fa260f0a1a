import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { expectClean } from "./clean.ts";
import { firstCall } from "./first-call.ts";
import { ROOT, run, start } from "./shell.ts";

test("the README of a new project shows a call that succeeds", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "init-"));
  symlinkSync(ROOT, path.join(folder, "connect-rest"));
  const project = path.join(folder, "book_shop");
  const upstream = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"id":"1","title":"Emma"}');
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  const created = await run(
    `connect-rest/node_modules/.bin/connect-rest init book_shop --yes --base-url http://127.0.0.1:${port}`,
    folder,
  );
  expect(created.status, created.stderr).toBe(0);
  const gateway = start("GATEWAY_PORT=0 npm start\n", project);
  const [, address = ""] = await gateway.waitFor(/gateway ready on (\S+)\n/);
  expect(JSON.parse(await firstCall(project, address))).toEqual({ id: "1", title: "Emma" });
  await expectClean(project);
  await gateway.stop();
  upstream.close();
  rmSync(folder, { recursive: true });
});
