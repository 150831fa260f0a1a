/**
 * Generates the adapters of all Google APIs, and compiles them with the compiler options of this repository.
 * Leaves out two files that take protoc-gen-es many minutes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { generateWith } from "../test/google/generators.ts";
import { CACHE, googleImage, withoutSourceInfo } from "../test/google/image.ts";
import { encodeRequest, namesToGenerate } from "../test/google/request.ts";
import { TOO_LARGE } from "../test/google/sample.ts";

const ROOT = join(import.meta.dirname, "..");
const ADAPTERS = "target=ts,import_extension=js,unsupported=skip";
/** Declarations are enough, since protoc-gen-es is not under test. */
const MESSAGES = "target=dts,import_extension=js";

/**
 * Returns a report of the compiler's time and the number of files.
 *
 * @throws Error with the first compiler error
 */
export async function compileAll(): Promise<string> {
  const files = [...googleImage().values()];
  const folder = mkdtempSync(join(CACHE, "all-"));
  try {
    const names = namesToGenerate(files).filter((name) => !TOO_LARGE.has(name));
    const adapters = await generateWith("adapters", encodeRequest(files, ADAPTERS, names));
    // Messages do not need comments, which slow down protoc-gen-es.
    const bare = files.map(withoutSourceInfo);
    const messages = await generateWith("messages", encodeRequest(bare, MESSAGES, names));
    for (const { name, content } of [...adapters.file, ...messages.file]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const start = performance.now();
    await compile(folder);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    return `the adapters of ${names.length} files compile, ${adapters.file.length} modules in ${seconds} s; left out: ${[...TOO_LARGE].join(", ")}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compile(folder: string): Promise<void> {
  const config = join(folder, "tsconfig.json");
  const options = { extends: join(ROOT, "tsconfig.json"), include: ["**/*_rest.ts"], exclude: [] };
  writeFileSync(config, JSON.stringify(options));
  const child = spawn(join(ROOT, "node_modules/.bin/tsc"), ["--project", config], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`tsc: ${output.slice(0, 4000)}`);
}
