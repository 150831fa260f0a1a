import { Command, InvalidArgumentError } from "commander";
import { DEFAULT_CONFIG_FILE, isPort } from "../config/environment.ts";
import { VERSION } from "../version.ts";
import { printLine } from "./output.ts";

const AFTER_HELP = `
Settings come from ${DEFAULT_CONFIG_FILE} in the working directory, or the file named by --config, then from the environment
(GATEWAY_PORT, SANDBOX_PORT; 0 picks a free port), then from options. Secrets are named there, never written:
{ env: NAME } or { file: PATH }.

Exit status: 0 after a complete drain, 1 when something failed, 2 for a wrong command line or configuration.`;

/**
 * The command line. Rejects with CommanderError for a wrong one, after it has said so. What a command runs is loaded with
 * it: help and mistakes need none of it.
 */
export function createProgram(): Command {
  const program = new Command("connect-rest")
    .description("Serves REST APIs as Connect, gRPC and gRPC-Web.")
    .version(VERSION, "--version", "print the version and exit")
    .helpOption("--help", "show this text and exit")
    .addHelpText("after", AFTER_HELP)
    .showHelpAfterError("(connect-rest --help shows what there is)")
    .exitOverride();
  program
    .command("serve")
    .description("serve the adapters of the configuration until SIGTERM or SIGINT, then drain")
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .option("--port <port>", "listen on this port, 0 for a free one; wins over the configuration", parsePort)
    .option("--host <address>", "listen on this address; wins over the configuration")
    .option("--sandbox", "start the sandbox of the configuration, and call it in place of the upstreams")
    .helpOption("--help", "show this text and exit")
    .exitOverride()
    .action(async (options) => (await import("./serve.ts")).serve(options));
  program
    .command("check-config")
    .description("read the configuration, its secrets and its adapters, and print every problem")
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .helpOption("--help", "show this text and exit")
    .exitOverride()
    .action(async (options) => (await import("./check-config.ts")).checkConfig(options));
  program
    .command("print-config")
    .description("print the configuration as it is used, with every default and no secret")
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .helpOption("--help", "show this text and exit")
    .exitOverride()
    .action(async (options) => (await import("./print-config.ts")).printConfigCommand(options));
  program
    .command("schema")
    .description("print the JSON Schema of the configuration file, for editors")
    .helpOption("--help", "show this text and exit")
    .exitOverride()
    .action(async () => {
      const { configJsonSchema } = await import("../config/json-schema.ts");
      printLine(configJsonSchema().trimEnd());
    });
  return program;
}

function parsePort(text: string): number {
  if (!isPort(text)) throw new InvalidArgumentError("Expected a port from 0 to 65535.");
  return Number(text);
}
