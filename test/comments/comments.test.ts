/**
 * Tests the comments of the described APIs at run time: the comments are complete, as in the .proto files,
 * and loaded only on request.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, type DescEnum, type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceAdapter } from "connect-rest-runtime/adapter";
import { loadComments } from "connect-rest-runtime/internal";
import { describe, expect, test } from "vitest";
import { BlogServiceRest } from "../../gen/blog/v1/blog_rest.ts";
import { commentOf } from "../../plugin/src/descriptors/comments.ts";

const ROOT = join(import.meta.dirname, "../..");
const MODULES = globSync("gen/**/*_rest.ts", { cwd: ROOT }).sort();

/** The descriptors of the .proto files, including comments. */
const registry = createFileRegistry(
  fromBinary(
    FileDescriptorSetSchema,
    spawnSync("buf", ["build", "proto", "-o", "-"], { cwd: ROOT, maxBuffer: 1 << 28 }).stdout,
  ),
);

async function allAdapters(): Promise<ServiceAdapter[]> {
  const modules = await Promise.all(MODULES.map((path) => import(join(ROOT, path))));
  return modules.flatMap((module) =>
    Object.values<ServiceAdapter>(module).filter((each) => each?.service !== undefined),
  );
}

function describedBy(adapter: ServiceAdapter): Set<DescMessage | DescEnum> {
  const types = new Set<DescMessage | DescEnum>(
    Object.values(adapter.methods).flatMap(({ method }) => [method.input, method.output]),
  );
  for (const type of types) {
    for (const field of type.kind === "message" ? type.fields : []) {
      const below = field.message ?? field.enum;
      if (below !== undefined && below.file.proto.package !== "google.protobuf") types.add(below);
    }
  }
  return types;
}

const adapters = await allAdapters();

test("adapters exist", () => {
  expect(adapters.length).toBeGreaterThan(7);
});

describe.each(adapters.map((adapter) => [adapter.service.typeName, adapter] as const))(
  "%s",
  (name, adapter) => {
    test("a method's comments include the comments of every type that it uses, as in the .proto files", async () => {
      const comment = await loadComments(adapter);
      const service = registry.getService(name);
      if (service === undefined) throw new Error(`buf builds no ${name}`);
      expect(comment(adapter.service)).toBe(commentOf(service));
      for (const { name: method } of Object.values(adapter.methods).map((each) => each.method)) {
        const [ours, theirs] = [adapter.service, service].map(({ methods }) =>
          methods.find((each) => each.name === method),
        );
        if (ours === undefined || theirs === undefined) throw new Error(`there is no ${method}`);
        expect(comment(ours)).toBe(commentOf(theirs));
        expect(comment(ours)).not.toBe("");
      }
      for (const type of describedBy(adapter)) {
        const source = registry.get(type.typeName);
        if (source?.kind !== type.kind) throw new Error(`buf builds no ${type.typeName}`);
        expect(comment(type), type.typeName).toBe(commentOf(source));
        expect(comment(type), type.typeName).not.toBe("");
        const theirs = source.kind === "enum" ? source.values : [...source.fields, ...source.oneofs];
        const ours = type.kind === "enum" ? type.values : [...type.fields, ...type.oneofs];
        expect(ours.map(comment)).toEqual(theirs.map(commentOf));
      }
    });
  },
);

test("an adapter generated without comments still has the comments of its methods", async () => {
  const { loadComments: _, ...without } = BlogServiceRest;
  const comment = await loadComments(without);
  const { getBlogInfo } = BlogServiceRest.service.method;
  expect(comment(getBlogInfo)).not.toBe("");
  expect(comment(getBlogInfo.input)).toBe("");
});

/** Prints the comment modules that are loaded after the gateway starts, and after a request for comments. */
const PROGRAM = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({
  load(url, context, next) {
    if (url.endsWith("_comments.ts")) loaded.push(url);
    return next(url, context);
  },
});
const modules = await Promise.all(process.argv.slice(1).map((path) => import(path)));
const adapters = modules.flatMap((module) => Object.values(module)).filter((each) => each?.service !== undefined);
const { startGateway } = await import("connect-rest-gateway");
const { loadComments } = await import("connect-rest-runtime/internal");
const bases = { api: "http://127.0.0.1:9", web: "http://127.0.0.1:9" };
const gateway = await startGateway({ adapters, upstreams: { blog: { bases }, events: { bases } } });
await (await fetch(gateway.url)).text();
const before = loaded.length;
await loadComments(adapters[0]);
const after = loaded.length;
await gateway.close();
process.stdout.write(JSON.stringify({ before, after }));
`;

test("comments are loaded when a client requests them, not when a gateway starts or a browser opens its console", () => {
  const program = ["--input-type=module", "-e", PROGRAM, ...MODULES.map((path) => join(ROOT, path))];
  const { stdout, stderr } = spawnSync(process.execPath, program, { cwd: ROOT, encoding: "utf8" });
  const seen = stdout.split("\n").at(-1) ?? "";
  expect(seen, stderr).toMatch(/^\{"before":0,"after":[1-9]\d*\}$/);
});
