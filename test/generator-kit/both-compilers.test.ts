import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasProtoc, NO_PROTOC, type Plugin, runBuf, runProtoc } from "./compilers.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROTO = join(ROOT, "proto");
const INCLUDES = ["proto", "plugin/protos", "node_modules/google-proto-files"].map((path) =>
  join(ROOT, path),
);
const PARAMETER = "target=ts,import_extension=ts,comments=true";
const PLUGINS: readonly Plugin[] = ["plugin/src/bin.ts", "examples/generator/src/bin.ts"].map((path) => ({
  path: join(ROOT, path),
  parameter: PARAMETER,
}));

const sources = readdirSync(PROTO, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".proto"))
  .sort();

/** buf drops the last line feed of a file that receives an insertion (DIFFERENCES.finalNewline). */
function asBufEndsIt(content: Buffer): string {
  const text = content.toString("utf8");
  return text.includes("  routes: {\n") ? text.replace(/\n$/, "") : text;
}

test("protoc and buf write the same files for the described APIs, with both generators in one run", async ({
  skip,
}) => {
  skip(!hasProtoc, NO_PROTOC);
  const [protoc, buf] = await Promise.all([
    runProtoc(PLUGINS, INCLUDES, sources),
    runBuf(PLUGINS, ["  - directory: proto"]),
  ]);
  if (protoc.error !== undefined) throw new Error(`protoc: ${protoc.error}`);
  if (buf.error !== undefined) throw new Error(`buf: ${buf.error}`);
  expect(Object.keys(protoc.files)).toEqual(Object.keys(buf.files));
  for (const [path, content] of Object.entries(protoc.files)) {
    expect(buf.files[path]?.toString("utf8"), path).toBe(asBufEndsIt(content));
  }
});
