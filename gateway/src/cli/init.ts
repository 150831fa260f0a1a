import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { exampleTarget, projectFiles, variablesOf } from "../init/files.ts";
import { InitError } from "../init/init-error.ts";
import { manifestFor } from "../init/manifest.ts";
import { checkPlace } from "../init/place.ts";
import { addressFault, isName, nameFor, type Project, packageOf, UNKNOWN_URL } from "../init/project.ts";
import { ask, type Given } from "../init/questions.ts";
import { printError, printLine } from "./output.ts";

/** The options of `connect-rest init`. */
export interface InitOptions extends Given {
  readonly yes?: boolean;
  /** Whether to install packages; false with `--no-install`. */
  readonly install: boolean;
  /** Folders outside of the document's folder from which the import may read files. */
  readonly allowPath?: readonly string[];
  /** Whether the import may fetch documents. */
  readonly allowRemote?: boolean;
}

/**
 * Runs `connect-rest init`: creates a project that describes an API, installs its packages and generates its
 * code. Existing files are kept.
 */
export async function init(folder: string, options: InitOptions): Promise<void> {
  const project = await projectOf(folder, options);
  const files = projectFiles(project);
  const report = project.document === undefined ? [] : [REPORT];
  checkPlace(folder, ["package.json", ...files.keys(), ...report]);
  const manifest = `${JSON.stringify(manifestFor(project, folder), null, 2)}\n`;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "package.json"), manifest);
  printLine(`wrote ${path.join(folder, "package.json")}`);
  for (const [file, text] of files) await create(path.join(folder, file), text);
  if (options.install) {
    await run(folder, "npm", ["install", "--no-audit", "--no-fund"]);
    await generate(folder, project, options);
  }
  for (const line of nextSteps(folder, project, options)) printLine(line);
}

/** The file with the losses of an import. */
const REPORT = "import-report.md";

async function projectOf(folder: string, options: InitOptions): Promise<Project> {
  const defaultName = nameFor(path.basename(path.resolve(folder)));
  const isAsked = options.yes !== true && process.stdin.isTTY;
  const given = isAsked
    ? await ask(options, defaultName, { input: process.stdin, output: process.stderr })
    : options;
  if (given === undefined) throw new InitError("the questions were not answered; nothing is written");
  const { name = defaultName, openapi, baseUrl, credentials } = given;
  if (!isName(name)) {
    throw new InitError(
      `--name ${name}: expected lowercase letters, digits and underscores, as in book_shop, and no reserved name`,
    );
  }
  if (openapi === undefined && (options.allowPath !== undefined || options.allowRemote === true)) {
    throw new InitError(
      "--allow-path and --allow-remote are for the references of an OpenAPI document; pass --openapi too",
    );
  }
  if (openapi !== undefined) {
    if (baseUrl !== undefined || credentials !== undefined) {
      throw new InitError(
        "--base-url and --credentials are for an API without a document; an OpenAPI document has both. Change connect-rest.yaml afterwards",
      );
    }
    await checkDocument(openapi);
  }
  return {
    name,
    document: openapi === undefined ? undefined : path.resolve(openapi),
    baseUrl: checkedUrl(baseUrl ?? UNKNOWN_URL),
    credentials: credentials ?? "none",
  };
}

async function checkDocument(file: string): Promise<void> {
  try {
    if ((await stat(file)).isFile()) return;
  } catch {
    // reported below
  }
  throw new InitError(`--openapi ${file}: there is no such file; download the document first`);
}

function checkedUrl(text: string): string {
  const fault = addressFault(text);
  if (fault === undefined) return text;
  throw new InitError(
    `--base-url ${fault}: expected an http or https URL, as in ${UNKNOWN_URL}; --credentials says how calls sign in`,
  );
}

async function create(file: string, text: string): Promise<void> {
  if (existsSync(file)) {
    printLine(`kept ${file}`);
    return;
  }
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text, { flag: "wx" });
  printLine(`wrote ${file}`);
}

async function generate(folder: string, project: Project, options: InitOptions): Promise<void> {
  const { document } = project;
  if (document !== undefined) {
    await run(folder, "npx", importing(document, project, options));
  }
  await run(folder, "npx", ["buf", "generate"]);
}

function importing(document: string, project: Project, options: InitOptions): readonly string[] {
  const { allowPath = [], allowRemote = false } = options;
  const names = ["--package", packageOf(project), "--upstream", project.name];
  // the import runs in the folder of the project
  const folders = allowPath.flatMap((each) => ["--allow-path", path.resolve(each)]);
  const remote = allowRemote ? ["--allow-remote"] : [];
  return ["connect-rest-import", document, ...names, "--report", REPORT, ...folders, ...remote];
}

/** Quotes a shell argument that contains special characters. */
function quoted(text: string): string {
  return /^[\w./:=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Runs a command in the project. The output of the command goes to standard error. */
async function run(folder: string, command: string, args: readonly string[]): Promise<void> {
  const shown = [command, ...args].map(quoted).join(" ");
  printError(`> ${shown}`);
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", process.stderr, process.stderr] });
  const [status] = await once(child, "close").catch((error: Error) => [error.message]);
  if (status === 0) return;
  throw new InitError(
    `"${shown}" failed (${status}), for the reason above. The files in ${folder} are written. Correct the reason, ` +
      `and run the command in ${folder}`,
  );
}

function nextSteps(folder: string, project: Project, options: InitOptions): readonly string[] {
  const isInstalled = options.install;
  const relative = path.relative("", folder);
  // `cd` would read a dash as an option
  const place = relative.startsWith("-") ? `./${relative}` : relative;
  const { document } = project;
  const call = `curl -d '{"id":"1"}' -H 'content-type: application/json' http://127.0.0.1:8080/${exampleTarget(project)}`;
  return [
    "",
    "Next:",
    ...(place === "" ? [] : [`  cd ${quoted(place)}`]),
    ...(isInstalled ? [] : ["  npm install"]),
    ...(isInstalled || document === undefined
      ? []
      : [`  ${["npx", ...importing(document, project, options)].map(quoted).join(" ")}`]),
    ...(isInstalled ? [] : ["  npm run generate"]),
    ...variablesOf(project).map((variable) => `  export ${variable}=…`),
    "  npm start",
    ...(document === undefined
      ? [`  ${call}`]
      : [`README.md has the first call, ${REPORT} what the import left out.`]),
  ];
}
