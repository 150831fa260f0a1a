/** Runs generators the way compilers run them: in a process that reads a request from standard input. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { fromBinary } from "@bufbuild/protobuf";
import { type CodeGeneratorResponse, CodeGeneratorResponseSchema } from "@bufbuild/protobuf/wkt";

const ROOT = join(import.meta.dirname, "../..");

/** The paths of the generators from the root of the repository. */
export const GENERATORS = {
  adapters: join(ROOT, "plugin/src/bin.ts"),
  messages: join(ROOT, "node_modules/@bufbuild/protoc-gen-es/bin/protoc-gen-es"),
} as const;

/** The output of a generator. */
export interface Said {
  /** The encoded CodeGeneratorResponse. */
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | null;
}

/** Runs a generator on a request, and waits until it exits. */
export async function runGenerator(program: keyof typeof GENERATORS, request: Uint8Array): Promise<Said> {
  const child = spawn(process.execPath, [GENERATORS[program]], { stdio: "pipe" });
  // A generator that exits early does not read all of its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(request);
  const [stdout, stderr, [code]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}

/** Returns the response of a generator. The generator must not fail. */
export async function generateWith(
  program: keyof typeof GENERATORS,
  request: Uint8Array,
): Promise<CodeGeneratorResponse> {
  const { stdout, stderr, code } = await runGenerator(program, request);
  if (code !== 0) throw new Error(`${program} exited with ${code}: ${stderr}`);
  const response = fromBinary(CodeGeneratorResponseSchema, stdout);
  if (response.error !== "") throw new Error(`${program}: ${response.error}`);
  return response;
}
