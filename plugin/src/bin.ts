#!/usr/bin/env node
import { buffer } from "node:stream/consumers";
import { ProtocolError, runPlugin } from "./protocol/run.ts";
import { version } from "./version.ts";

const USAGE = `protoc-gen-connect-rest ${version}

A plugin for buf and protoc: it reads a CodeGeneratorRequest from standard input and writes a
CodeGeneratorResponse to standard output. Run it from buf.gen.yaml:

  plugins:
    - local: protoc-gen-connect-rest
      out: gen
      opt: [target=ts, import_extension=ts]

Options: target=ts, import_extension=ts|js|none, unsupported=error|skip
`;

async function main(argument: string | undefined): Promise<number> {
  if (argument === "--version") return print(`protoc-gen-connect-rest ${version}\n`);
  if (argument === "--help" || argument === "-h") return print(USAGE);
  if (process.stdin.isTTY) return fail(USAGE);
  try {
    const { response, warnings } = runPlugin(await buffer(process.stdin));
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    return await print(response);
  } catch (error) {
    if (error instanceof ProtocolError) return fail(`protoc-gen-connect-rest: ${error.message}\n`);
    return fail(`protoc-gen-connect-rest: internal error: ${error instanceof Error ? error.stack : error}\n`);
  }
}

/** Resolves when the pipe has taken everything: an exit would not wait for it. */
function print(output: string | Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.write(output, (error) => (error ? reject(error) : resolve(0)));
  });
}

function fail(text: string): number {
  process.stderr.write(text);
  return 1;
}

process.exitCode = await main(process.argv[2]);
