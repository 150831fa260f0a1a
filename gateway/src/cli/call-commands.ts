import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_CONFIG_FILE } from "../config/environment.ts";
import { type Declare, parseGateway, tokenFile } from "./oauth-commands.ts";

const AFTER_CALL = `
The call goes from this process to the upstream, with the credentials of the configuration. With --gateway, it goes to a running
gateway, with the token of connect-rest login where there is one.

A response is printed as JSON: one line for each message of a stream. Exit status: 0 after success, 64 plus the code of the RPC
after its failure (e.g. 69 for NOT_FOUND), 1 after another failure, 2 for an invalid command line or configuration.

For example: connect-rest call library.v1.LibraryService/GetBook --data '{"id":"42"}'`;

const AFTER_EXPLAIN = `
Nothing is sent without --send. Credentials, headers that may contain them, and fields marked redact are hidden.`;

const AFTER_COMPLETION = `
For example, in ~/.bashrc: source <(connect-rest completion bash)`;

/** The shells that `completion` supports. */
const SHELLS = ["bash", "zsh"] as const;

/** Adds `call`, `explain`, `methods`, `mcp` and `completion`. */
export function addCallCommands(declare: Declare): void {
  withRequest(declare("call", "call a method, and print the response"))
    .option("--gateway <url>", "call this gateway in place of the upstream", parseGateway)
    .addOption(tokenFile())
    .addOption(
      new Option(
        "-v, --verbose",
        "print the HTTP request, and what the upstream answered, on standard error",
      ).conflicts("gateway"),
    )
    .addHelpText("after", AFTER_CALL)
    .action(async (name, options) => {
      process.exitCode = await (await import("./call.ts")).call(name, options);
    });
  withRequest(declare("explain", "print the HTTP request that a call becomes"))
    .option("--send", "send the call, and print what the upstream answered")
    .option("--yes", "with --send: also send a call that may change data")
    .addOption(
      new Option("--format <format>", "text, curl, or json")
        .choices(["text", "curl", "json"])
        .default("text"),
    )
    .addHelpText("after", AFTER_EXPLAIN)
    .action(async (name, options) => (await import("./explain.ts")).explain(name, options));
  withConfig(declare("methods", "print the methods of the configured services")).action(async (options) =>
    (await import("./methods.ts")).methods(options),
  );
  withConfig(declare("mcp", "serve methods as tools for agents, over standard input and output"))
    .option("--sandbox", "start the configured sandbox and call it instead of the upstream")
    .action(async (options) => (await import("./mcp.ts")).mcp(options));
  declare("completion", "print a script that completes commands and methods in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", AFTER_COMPLETION)
    .action(async (shell, _options, command: Command) => {
      const { completion } = await import("./completion.ts");
      completion(shell, command.parent ?? command);
    });
}

function withConfig(command: Command): Command {
  return command.option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE);
}

function withRequest(command: Command): Command {
  return withConfig(command.argument("<method>", "the method, e.g. library.v1.LibraryService/GetBook"))
    .option("--data <json>", "the request message as JSON, @FILE, or - for standard input", "{}")
    .option("--header <name: value>", "a header of the call; may be repeated", addHeader)
    .option("--deadline <duration>", "the deadline of the call, e.g. 500ms, 5s or 2m", parseDuration)
    .option("--sandbox", "start the configured sandbox and call it instead of the upstream");
}

function addHeader(text: string, before: readonly string[][] = []): string[][] {
  const colon = text.indexOf(":");
  const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  if (colon > 0 && isHeader(name, value)) return [...before, [name, value]];
  throw new InvalidArgumentError("Expected a name and a value, e.g. 'x-tenant: a'.");
}

function isHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const MAX_MS = 2 ** 31 - 1;

function parseDuration(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (ms >= 1 && ms <= MAX_MS) return Math.round(ms);
  throw new InvalidArgumentError("Expected a duration with a unit, e.g. 500ms, 5s or 2m.");
}
