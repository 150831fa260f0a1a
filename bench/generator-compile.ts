/** Generates everything for all of Google's APIs, and compiles it under the options of this repository. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { generateWith } from "../test/google/generators.ts";
import { CACHE, googleImage, withoutSourceInfo } from "../test/google/image.ts";
import { ADAPTER_OPTIONS, encodeRequest, MESSAGE_OPTIONS } from "../test/google/request.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * Says how long the compiler took, and for how many files.
 *
 * @throws Error with the first of the compiler's errors
 */
export async function compileAll(): Promise<string> {
  const files = [...googleImage().values()];
  const folder = mkdtempSync(join(CACHE, "all-"));
  try {
    const adapters = await generateWith("adapters", encodeRequest(files, ADAPTER_OPTIONS));
    // comments do not matter in messages, and take protoc-gen-es long
    const bare = files.map(withoutSourceInfo);
    const messages = await generateWith("messages", encodeRequest(bare, MESSAGE_OPTIONS));
    for (const { name, content } of [...adapters.file, ...messages.file]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const start = performance.now();
    await compile(folder);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    return `${adapters.file.length} adapters and ${messages.file.length} files of messages compile, in ${seconds} s`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compile(folder: string): Promise<void> {
  const config = join(folder, "tsconfig.json");
  const options = { extends: join(ROOT, "tsconfig.json"), include: ["**/*.ts"], exclude: [] };
  writeFileSync(config, JSON.stringify(options));
  const child = spawn(join(ROOT, "node_modules/.bin/tsc"), ["--project", config], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`tsc: ${output.slice(0, 4000)}`);
}
