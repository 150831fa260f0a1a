import { Option } from "commander";
import { CREDENTIALS, UNKNOWN_URL } from "../init/project.ts";
import type { Declare } from "./oauth-commands.ts";

const AFTER_INIT = `
In a terminal, the command asks for what the options do not say. Files that exist are kept; package.json gets what is missing.
With --openapi, the package connect-rest-import writes the .proto files and connect-rest.yaml.`;

const ALLOW_PATH =
  "a folder outside of the document's folder from which the import may read files; may be repeated";

/** Adds `init` and `import`, which write the files of a project. */
export function addProjectCommands(declare: Declare): void {
  declare("init", "create a project that describes an API, install its packages, and generate its code")
    .argument("[folder]", "the folder of the project", ".")
    .option("--name <name>", "the name of the API and of its upstream; default: the name of the folder")
    .option("--openapi <file>", "an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0 document to start from")
    .option("--allow-path <folder>", ALLOW_PATH, (folder, folders: string[] = []) => [...folders, folder])
    .option("--allow-remote", "let the import fetch documents to which references of the document lead")
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
  declare("import", "write .proto files from an OpenAPI document, by the package connect-rest-import")
    .argument("[arguments...]", "the arguments of connect-rest-import; --help lists them")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args) => {
      process.exitCode = await (await import("./import.ts")).importDocument(args);
    });
}
