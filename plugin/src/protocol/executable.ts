import { buffer } from "node:stream/consumers";
import { oneLine } from "../diagnostics/one-line.ts";
import { ProtocolError } from "./request.ts";

/** The result of running a generator on a request. */
export interface RunResult {
  /** An encoded CodeGeneratorResponse. */
  readonly response: Uint8Array;
  /** Warnings about valid input, one per line; for standard error. */
  readonly warnings: readonly string[];
}

/** A generator as a program. */
export interface Executable {
  /** The name of the program, for example `protoc-gen-connect-rest`. */
  readonly name: string;
  readonly version: string;
  /** The help text after the name and version. */
  readonly usage: string;
  /** Returns the response to an encoded CodeGeneratorRequest. */
  readonly run: (input: Uint8Array) => RunResult;
}

/**
 * Runs a generator on standard input and output. Exits with 0 if the generator responds, even with `error`
 * set. Otherwise exits with 1 and writes the error to standard error (plugin protocol, "errors").
 */
export async function runExecutable(executable: Executable): Promise<void> {
  process.exitCode = await main(executable, process.argv[2]);
}

async function main(executable: Executable, argument: string | undefined): Promise<number> {
  const title = `${executable.name} ${executable.version}\n`;
  if (argument === "--version") return print(title);
  if (argument === "--help" || argument === "-h") return print(`${title}\n${executable.usage}`);
  if (process.stdin.isTTY) return fail(`${title}\n${executable.usage}`);
  try {
    const { response, warnings } = executable.run(await buffer(process.stdin));
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    return await print(response);
  } catch (error) {
    if (error instanceof ProtocolError) return fail(`${executable.name}: ${oneLine(error.message)}\n`);
    const text = error instanceof Error ? error.stack : error;
    return fail(`${executable.name}: internal error: ${text}\n`);
  }
}

/** Resolves when the pipe has accepted all output: exiting earlier would lose the remaining output. */
function print(output: string | Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.write(output, (error) => (error ? reject(error) : resolve(0)));
  });
}

function fail(text: string): number {
  process.stderr.write(text);
  return 1;
}
