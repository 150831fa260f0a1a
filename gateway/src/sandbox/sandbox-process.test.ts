import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startSandbox } from "./sandbox-process.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-sandbox-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes the module of a sandbox. */
function write(name: string, code: string): { file: string; module: string } {
  const file = path.join(directory, `${name}.mjs`);
  writeFileSync(file, code);
  return { file, module: pathToFileURL(file).href };
}

const STAYS = "setInterval(() => {}, 1000);";
const upstreams = { echo: { baseUrl: "http://127.0.0.1:1", credentials: { apiKey: "k" } } };
const READY = `process.send({ type: "ready", url: "http://127.0.0.1:" + process.env.SANDBOX_PORT, upstreams: ${JSON.stringify(upstreams)} });`;

test("a sandbox reports its URL and upstreams, and exits when it is disconnected", async () => {
  const { module } = write("good", `process.on("disconnect", () => process.exit(3)); ${READY} ${STAYS}`);
  const sandbox = await startSandbox({ module, port: 1234 });
  expect([sandbox.url, sandbox.upstreams]).toEqual(["http://127.0.0.1:1234", upstreams]);
  await sandbox.stop();
  expect(await sandbox.exited).toBe("the sandbox exited with status 3");
});

test("a sandbox that exits before it is ready causes an error", async () => {
  const { file, module } = write("early", "process.exit(7);");
  await expect(startSandbox({ module, port: 0 })).rejects.toThrow(
    `the sandbox ${file} exited with status 7 before it was ready; its own message is above`,
  );
});

test("a sandbox that is not ready in time causes an error, and is killed", async () => {
  const { file, module } = write("late", STAYS);
  await expect(startSandbox({ module, port: 0, readyTimeoutMs: 300 })).rejects.toThrow(
    `the sandbox ${file} was not ready within 300 ms`,
  );
});

test("a sandbox that sends an unexpected message causes an error", async () => {
  const { file, module } = write("other", `process.send({ type: "hello" }); ${STAYS}`);
  await expect(startSandbox({ module, port: 0 })).rejects.toThrow(
    `the sandbox ${file} sent something else than its ready message: `,
  );
});

test("the reason is reported when a sandbox exits on its own", async () => {
  const { module } = write(
    "dies",
    `${READY} process.on("message", () => {}); setTimeout(() => process.exit(9), 50);`,
  );
  const sandbox = await startSandbox({ module, port: 0 });
  expect(await sandbox.exited).toBe("the sandbox exited with status 9");
});

test("a sandbox is started with the given arguments", async () => {
  const told = `{ type: "ready", url: "http://127.0.0.1:1/" + process.argv.slice(2).join(), upstreams: {} }`;
  const { module } = write(
    "args",
    `process.send(${told}); process.on("disconnect", () => process.exit()); ${STAYS}`,
  );
  const sandbox = await startSandbox({ module, port: 0, args: ["--tls", "--public-url=x"] });
  expect(sandbox.url).toBe("http://127.0.0.1:1/--tls,--public-url=x");
  await sandbox.stop();
});
