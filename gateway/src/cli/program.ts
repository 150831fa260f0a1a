import { Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_CONFIG_FILE, isPort, MAX_WORKERS } from "../config/environment.ts";
import { CREDENTIALS, UNKNOWN_URL } from "../init/project.ts";
import { VERSION } from "../version.ts";
import { addOAuthCommands } from "./oauth-commands.ts";
import { printErrorText, printLine, printText } from "./output.ts";

const AFTER_HELP = `
Settings are read from ${DEFAULT_CONFIG_FILE} in the working directory, or from the file that --config names. The environment
(GATEWAY_PORT, SANDBOX_PORT; 0 picks a free port) takes precedence over it, and options over both. Secrets are referenced,
never written into the file: { env: NAME } or { file: PATH }.

Exit status: 0 after success, e.g. a complete drain, 1 after a failure, 2 for an invalid command line or configuration.`;

const AFTER_INIT = `
In a terminal, the command asks for what the options do not say. Files that exist are kept; package.json gets what is missing.
With --openapi, the package connect-rest-import writes the .proto files and connect-rest.yaml.`;

/**
 * Creates the command line. Rejects with CommanderError for an invalid one, after printing the error. The
 * code of a command is loaded only when it runs, since help and errors do not need it.
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
  subcommand(
    program,
    "init",
    "create a project that describes an API, install its packages, and generate its code",
  )
    .argument("[folder]", "the folder of the project", ".")
    .option("--name <name>", "the name of the API and of its upstream; default: the name of the folder")
    .option("--openapi <file>", "an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0 document to start from")
    .option("--base-url <url>", `the address of the API; default: ${UNKNOWN_URL}`)
    .addOption(
      new Option("--credentials <kind>", "the credentials that the API requires; default: none").choices(
        Object.keys(CREDENTIALS),
      ),
    )
    .option("--yes", "ask nothing, and take defaults")
    .option("--no-install", "only write the files")
    .addHelpText("after", AFTER_INIT)
    .action(async (folder, options) => (await import("./init.ts")).init(folder, options));
  subcommand(
    program,
    "import",
    "write .proto files from an OpenAPI document, by the package connect-rest-import",
  )
    .argument("[arguments...]", "the arguments of connect-rest-import; --help lists them")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args) => {
      process.exitCode = await (await import("./import.ts")).importDocument(args);
    });
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
