/** Follows the pages of the examples with installed tarballs, block by block. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { cachedPath, fetchDocuments, REAL_DOCUMENTS } from "../../scripts/import-counts.ts";
import { buildTarballs } from "./installation.ts";
import { jsonBy, Reader } from "./reader.ts";

/** The maximum time for the build, and for the commands of a page. */
const TIMEOUT_MS = 240_000;

let tarballs: ReadonlyMap<string, string> = new Map();
let reader: Reader | undefined;

beforeAll(async () => {
  tarballs = await buildTarballs();
}, TIMEOUT_MS);

afterEach(async () => {
  await reader?.close();
  reader = undefined;
});

test("examples/script: prints a package whose name has a slash", { timeout: TIMEOUT_MS }, async () => {
  reader = new Reader("script", tarballs);
  const tarball = "https://registry.npmjs.org/@types/node/-/node-24.19.2.tgz";
  const latest = { version: "24.19.2", license: "MIT", dist: { tarball } };
  const handler = jsonBy({ "/%40types%2Fnode/latest": latest }, "accept", "application/json");
  reader.setVariable("REGISTRY_URL", await reader.serveUpstream(handler));
  await reader.followPage();
});

test("examples/bookmarks: calls its API in-process and through a gateway", {
  timeout: TIMEOUT_MS,
}, async () => {
  reader = new Reader("bookmarks", tarballs, async (shown, real) => {
    if (shown !== "127.0.0.1:9090") return "";
    reader?.setVariable("BOOKMARKS_URL", `http://${real}`);
    reader?.replace("connect-rest.yaml", shown, real);
    return "";
  });
  await reader.followPage();
});

test("examples/service: passes its own tests, and serves both services", {
  timeout: TIMEOUT_MS,
}, async () => {
  reader = new Reader("service", tarballs);
  const books = {
    "/books/1": { title: "Emma", available: 0 },
    "/books/2": { title: "Walden", available: 1 },
  };
  reader.setVariable("CATALOG_URL", await reader.serveUpstream(jsonBy(books, "x-api-key", "open sesame")));
  await reader.followPage();
});

/**
 * The example's document. The test copies the document from a cache instead of installing its npm package.
 */
const DOCUMENT = REAL_DOCUMENTS.filter(({ name }) => name === "blockfrost");

test("examples/imported: imports a public API, and makes a typed call", { timeout: TIMEOUT_MS }, async () => {
  fetchDocuments(DOCUMENT);
  reader = new Reader("imported", tarballs);
  const manifest = readFileSync("examples/imported/package.json", "utf8");
  for (const document of DOCUMENT) {
    expect(manifest).toContain(`"${document.package}": "${document.version}"`);
    const folder = join(reader.folder, "node_modules", document.package);
    mkdirSync(folder, { recursive: true });
    copyFileSync(cachedPath(document), join(folder, document.file));
  }
  const block = { height: 13_000_000, tx_count: 27, size: 48_213 };
  const handler = jsonBy({ "/blocks/latest": block }, "project_id", "open sesame");
  reader.setVariable("BLOCKFROST_URL", await reader.serveUpstream(handler));
  await reader.followPage();
  expect(readFileSync(join(reader.folder, "package.json"), "utf8")).toBe(manifest);
});
