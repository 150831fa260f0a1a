import { Option } from "commander";
import { DEFAULT_CONFIG_FILE } from "../config/environment.ts";
import type { Declare } from "./oauth-commands.ts";

const AFTER_VERIFY = `
A recording is a HAR file (HAR 1.2), or a folder with HAR files and with JSON bodies in package.Service/Method/, e.g.
recordings/library.v1.LibraryService/GetBook/1.json, or 1.404.json for a response with the status 404.

The report contains no values of bodies. Exit status: 0 without differences, 1 with differences, 2 for an invalid command line,
configuration or recording.`;

/** Adds `verify`. */
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
}
