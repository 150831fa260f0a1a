/** Follows the page of the example in other languages. Each language has its own test. */
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { closedPort } from "../../runtime/src/testing/servers.ts";
import { FLAGS, hasChromium, NO_CHROMIUM } from "../browser/chromium.ts";
import { blocksBelow } from "../docs/blocks.ts";
import { downloadModules, downloadWheels } from "./client-tools.ts";
import { buildTarballs } from "./installation.ts";
import { jsonBy, Reader } from "./reader.ts";

const EXAMPLE = "examples/clients";
const TIMEOUT_MS = 600_000;

const PAGE = "127.0.0.1:8000";

let reader: Reader;

beforeAll(async () => {
  reader = new Reader("clients", await buildTarballs(), async (shown, real) => {
    if (shown === PAGE) return await textOf(`http://${real}/`);
    reader.setVariable("GATEWAY_URL", `http://${real}`);
    reader.replace("web/main.ts", shown, real);
    return "";
  });
  const paths = { "/%40types%2Fnode/latest": { version: "24.19.2" } };
  const url = await reader.serveUpstream(jsonBy(paths, "accept", "application/json"));
  reader.replace("connect-rest.yaml", "https://registry.npmjs.org", url);
  const page = new URL(await closedPort()).host;
  for (const file of ["package.json", "connect-rest.yaml"]) reader.replace(file, PAGE, page);
  await reader.followIntroduction();
}, TIMEOUT_MS);

afterAll(() => reader.close());

/** Returns the text that a page shows in a browser when its requests have ended. */
async function textOf(url: string): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const flags = [...FLAGS, `--user-data-dir=${profile}`, "--virtual-time-budget=60000", "--dump-dom"];
  const { stdout } = await promisify(execFile)("chromium", [...flags, url], { timeout: TIMEOUT_MS });
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  const [, text = ""] = /<pre id="output">(.*)<\/pre>/s.exec(stdout) ?? [];
  return text;
}

test("examples/clients: every buf.gen.yaml contains the input that the page shows", () => {
  const page = readFileSync(`${EXAMPLE}/README.md`, "utf8");
  const [shown] = blocksBelow(page, "## How clients are generated");
  const templates = globSync(`${EXAMPLE}/*/buf.gen.yaml`);
  expect(templates).toHaveLength(3);
  for (const file of templates) {
    expect(parse(readFileSync(file, "utf8"))).toMatchObject(parse(shown?.text ?? ""));
  }
});

test("examples/clients: the Go program makes calls over gRPC", { timeout: TIMEOUT_MS }, async ({ skip }) => {
  const { problem } = await downloadModules();
  skip(problem !== undefined, problem);
  await reader.followSection("## Go");
});

test("examples/clients: the Python program makes calls over Connect", { timeout: TIMEOUT_MS }, async ({
  skip,
}) => {
  const { path, problem } = await downloadWheels();
  skip(problem !== undefined, problem);
  reader.setVariable("PIP_NO_INDEX", "1");
  reader.setVariable("PIP_FIND_LINKS", path);
  await reader.followSection("## Python");
});

test("examples/clients: the web page makes calls over gRPC-Web", { timeout: TIMEOUT_MS }, async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  await reader.followSection("## Browser");
});
