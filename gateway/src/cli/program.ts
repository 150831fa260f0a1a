import { Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_CONFIG_FILE, isPort, MAX_WORKERS } from "../config/environment.ts";
import { VERSION } from "../version.ts";
import { addCallCommands } from "./call-commands.ts";
import { addOAuthCommands } from "./oauth-commands.ts";
import { printErrorText, printLine, printText } from "./output.ts";
import { addProjectCommands } from "./project-commands.ts";
import { addRecordingCommands } from "./recording-commands.ts";

const AFTER_HELP = `
Settings are read from ${DEFAULT_CONFIG_FILE} in the working directory, or from the file that --config names. The environment
(GATEWAY_PORT, SANDBOX_PORT; 0 picks a free port) takes precedence over it, and options over both. Secrets are referenced,
never written into the file: { env: NAME } or { file: PATH }.

Exit status: 0 after success, e.g. a complete drain, 1 after a failure, 2 for an invalid command line or configuration.`;

/**
 * Creates the command line. Parsing an invalid command line prints the error and rejects with CommanderError.
 * The code of a command is loaded only when it runs, since help and errors do not need it.
 */
export function createProgram(): Command {
  const program = new Command("connect-rest")
    .description("Serves REST APIs as Connect, gRPC and gRPC-Web.")
    .version(VERSION, "--version", "print the version and exit")
    .helpOption("--help", "show this text and exit")
    .addHelpText("after", AFTER_HELP)
    .configureOutput({ writeOut: printText, writeErr: printErrorText })
    .showHelpAfterError("(run connect-rest --help for usage)")
    .exitOverride();
  subcommand(
    program,
    "serve",
    "serve the adapters of the configuration until SIGTERM or SIGINT, then drain; SIGHUP reloads",
  )
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .option("--port <port>", "listen on this port, 0 for a free one; overrides the configuration", parsePort)
    .option("--host <address>", "listen on this address; overrides the configuration")
    .option(
      "--workers <number>",
      "serve by so many processes, or auto; overrides the configuration",
      parseWorkers,
    )
    .option("--sandbox", "start the configured sandbox and call it instead of the upstreams")
    .addOption(ofSandbox("--sandbox-public-url <url>", "the address by which others reach the sandbox"))
    .addOption(ofSandbox("--sandbox-tls", "let the sandbox take HTTPS too, with a self-made certificate"))
    .addOption(ofSandbox("--sandbox-tls-cert <file>", "its certificate instead, PEM"))
    .addOption(ofSandbox("--sandbox-tls-key <file>", "the key of that certificate, PEM"))
    .addOption(
      ofSandbox(
        "--sandbox-events <number>",
        "events that come into being in an hour in its event feed, 0 for none",
      ),
    )
    .addOption(
      ofSandbox(
        "--auth",
        "authorize callers, who sign in at the sandbox: the whole of authorization on one machine, for trying it out",
      ),
    )
    .action(async (options) => (await import("./serve.ts")).serve(options));
  addProjectCommands((name, description) => subcommand(program, name, description));
  subcommand(
    program,
    "check-config",
    "check the configuration, its secrets and its adapters, and print every problem",
  )
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .action(async (options) => (await import("./check-config.ts")).checkConfig(options));
  subcommand(
    program,
    "print-config",
    "print the effective configuration, with every default and without secrets",
  )
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .action(async (options) => (await import("./print-config.ts")).printConfigCommand(options));
  subcommand(program, "schema", "print the JSON Schema of the configuration file, for editors").action(
    async () => {
      const { configJsonSchema } = await import("../config/json-schema.ts");
      printLine(configJsonSchema().trimEnd());
    },
  );
  addCallCommands((name, description) => subcommand(program, name, description));
  addRecordingCommands((name, description) => subcommand(program, name, description));
  addOAuthCommands((name, description) => subcommand(program, name, description));
  return program;
}

function subcommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .helpOption("--help", "show this text and exit")
    .exitOverride();
}

/** Declares an option that starts the sandbox and is passed to it. */
function ofSandbox(flags: string, description: string): Option {
  return new Option(flags, description).implies({ sandbox: true });
}

function parseWorkers(text: string): number | "auto" {
  if (text === "auto") return text;
  const number = Number(text);
  if (!/^[1-9][0-9]{0,2}$/.test(text) || number > MAX_WORKERS) {
    throw new InvalidArgumentError(`Expected a number from 1 to ${MAX_WORKERS}, or auto.`);
  }
  return number;
}

function parsePort(text: string): number {
  if (!isPort(text)) throw new InvalidArgumentError("Expected a port from 0 to 65535.");
  return Number(text);
}
