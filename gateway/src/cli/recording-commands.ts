import { InvalidArgumentError, Option } from "commander";
import { DEFAULT_CONFIG_FILE } from "../config/environment.ts";
import type { Declare } from "./oauth-commands.ts";

const AFTER_VERIFY = `
A recording is a HAR file (HAR 1.2), or a folder with HAR files and with JSON bodies in package.Service/Method/, e.g.
recordings/library.v1.LibraryService/GetBook/1.json, or 1.404.json for a response with the status 404.

The report contains no values of bodies. Exit status: 0 without differences, 1 with differences, 2 for an invalid command line,
configuration or recording.`;

const AFTER_SUGGEST = `
Prints a unified diff for \`git apply\` on standard output, and on standard error what is not patched, with the reason. --write changes
the files instead, after the changed files compile with buf or protoc.

Exit status: 0 after success, also without differences, 1 if the changed files do not compile, 2 for an invalid command line,
configuration or recording.`;

/** Adds `verify` and `suggest`. */
export function addRecordingCommands(declare: Declare): void {
  declare("verify", "compare recorded exchanges with the description, and print the differences")
    .argument("<recordings...>", "HAR files, and folders with JSON bodies")
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .addOption(
      new Option("--format <format>", "text, json, or junit")
        .choices(["text", "json", "junit"])
        .default("text"),
    )
    .option("--baseline <file>", "accept the differences in this file, and fail only on others")
    .option("--write-baseline <file>", "write a baseline that accepts all differences, and succeed")
    .addHelpText("after", AFTER_VERIFY)
    .action(async (recordings, options) => {
      process.exitCode = await (await import("./verify.ts")).verify(recordings, options);
    });
  declare("suggest", "print a patch of the .proto files that declares what recorded exchanges contain")
    .argument("<recordings...>", "HAR files, and folders with JSON bodies")
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .option(
      "--proto <folder>",
      "a folder of .proto files; default: the modules in buf.yaml, or proto",
      (one, all: string[] = []) => [...all, one],
    )
    .option("--min-samples <number>", "declare keys that so many responses contain", parseCount, 1)
    .option("--write", "change the .proto files")
    .option("--no-check", "write files that were not compiled")
    .addHelpText("after", AFTER_SUGGEST)
    .action(async (recordings, options) => {
      process.exitCode = await (await import("./suggest.ts")).suggest(recordings, options);
    });
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Expected a number from 1.");
  return Number(text);
}
