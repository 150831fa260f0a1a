/**
 * Tests the generator with all of Google's APIs, and compares the requests of its adapters with the requests
 * of Google's client.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fromBinary } from "@bufbuild/protobuf";
import { CodeGeneratorResponseSchema } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, test } from "vitest";
import { makePairs } from "./cases.ts";
import { differingParts } from "./compare.ts";
import { DIFFERENCES } from "./differences.ts";
import { runGenerator, type Said } from "./generators.ts";
import { googleImage, type Image } from "./image.ts";
import { Random } from "./random.ts";
import { ADAPTER_OPTIONS, encodeRequest, namesToGenerate } from "./request.ts";
import { generateSample, type Sample, sampleOf } from "./sample.ts";

const ROOT = join(import.meta.dirname, "../..");
/** `buf` rejects or drops lines of this length. */
const MAX_LINE_BYTES = 64 * 1024;
const MINUTES = 60_000;

let image: Image;

beforeAll(() => {
  image = googleImage();
}, 5 * MINUTES);

describe("all of Google's APIs", () => {
  let said: Said;

  beforeAll(async () => {
    said = await runGenerator("adapters", encodeRequest([...image.values()], ADAPTER_OPTIONS));
  }, 3 * MINUTES);

  test("the generator accepts them, except the methods in left-out.txt", () => {
    expect(said.code).toBe(0);
    const expected = readFileSync(join(import.meta.dirname, "left-out.txt"), "utf8")
      .trimEnd()
      .split("\n");
    expect(leftOut(said.stderr)).toEqual(expected);
  });

  test("the generated files have unique, relative names, and lines that every compiler accepts", () => {
    const { file, error } = fromBinary(CodeGeneratorResponseSchema, said.stdout);
    expect(error).toBe("");
    const names = file.map(({ name }) => name);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(names.filter((name) => !/^(?!\/)(?:[\w-]+\/)*[\w.-]+_rest\.ts$/.test(name))).toEqual([]);
    const long = file.filter(({ content }) => longestLine(content) >= MAX_LINE_BYTES).map(({ name }) => name);
    expect(long).toEqual([]);
    expect(names.length).toBeGreaterThan(4000);
  });
});

describe("500 unary methods and all server streams", () => {
  let sample: Sample;
  let folder: string;

  beforeAll(async () => {
    sample = sampleOf(image);
    folder = await generateSample(sample);
  }, 5 * MINUTES);

  test(
    "their adapters compile with the messages, under the compiler options of this repository",
    async () => {
      const config = join(folder, "tsconfig.json");
      writeFileSync(
        config,
        JSON.stringify({
          extends: join(ROOT, "tsconfig.json"),
          // protoc-gen-es generates these declarations.
          compilerOptions: { skipLibCheck: true },
          include: ["**/*_rest.ts"],
          exclude: [],
        }),
      );
      const child = spawn(join(ROOT, "node_modules/.bin/tsc"), ["--project", config], { stdio: "pipe" });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
      expect({ output, code }).toEqual({ output: "", code: 0 });
    },
    5 * MINUTES,
  );

  test("the generator prints the same bytes for any order of the files", async () => {
    const { files } = sample;
    const order = new Random(7).shuffle(namesToGenerate(files));
    const [first, second] = await Promise.all(
      [namesToGenerate(files), order].map((names) =>
        runGenerator("adapters", encodeRequest(files, ADAPTER_OPTIONS, names)),
      ),
    );
    expect(second?.stdout.length).toBeGreaterThan(1_000_000);
    expect(second?.stdout.equals(first?.stdout ?? Buffer.alloc(0))).toBe(true);
    expect(second?.stderr).toBe(first?.stderr);
  });

  test(
    "their adapters send the same requests as google-gax, except for the differences in differences.ts",
    async () => {
      const differing = new Map<string, Set<string>>();
      for (const { method, ours, theirs } of await makePairs(sample, folder)) {
        for (const part of differingParts(ours, theirs)) {
          const names = differing.get(part) ?? new Set();
          differing.set(part, names.add(`${method.parent.typeName}.${method.name}`));
        }
      }
      const found = [...differing].map(([part, names]) => [part, [...names].sort()] as const);
      expect(Object.fromEntries(found)).toEqual(listed());
    },
    3 * MINUTES,
  );
});

/** Returns the warnings in the format of left-out.txt: code, method and binding. */
function leftOut(stderr: string): string[] {
  const lines = stderr.split("\n").filter((line) => line !== "");
  return lines.map(shortened).sort();
}

function shortened(line: string): string {
  const [, code, rest = ""] = /^warning: [^:]+:\d+:\d+: ([a-z-]+): (.*)$/.exec(line) ?? [];
  if (code === undefined) return line;
  const binding = /^binding (\d+) of ([\w.]+) /.exec(rest);
  if (binding !== null) return `${code} ${binding[2]} ${binding[1]}`;
  return `${code} ${/(?:the stream|parameter of) ([\w.]+\w)/.exec(rest)?.[1] ?? rest}`;
}

/** Returns the length of the longest line in bytes. */
function longestLine(content: string): number {
  return content.split("\n").reduce((longest, line) => Math.max(longest, Buffer.byteLength(line)), 0);
}

function listed(): Record<string, string[]> {
  const parts = new Set(DIFFERENCES.map(({ part }) => part));
  return Object.fromEntries(
    [...parts].map((part) => [
      part,
      DIFFERENCES.filter((difference) => difference.part === part)
        .flatMap(({ methods }) => methods)
        .sort(),
    ]),
  );
}
