/**
 * Writes a report of every exported name and signature of the packages (`npm run api`), so that reviews show
 * changes to the public API. With `--check` it writes nothing, lists the outdated reports, and fails if there
 * are any.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";
import { writeDeclarations } from "./declarations.ts";

const PACKAGES = ["codec", "runtime", "plugin", "authorization", "gateway", "import"];
const REPORTS = "docs/api";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/** An entry of a package: the name of its report, and the source that it exports. */
interface Entry {
  readonly report: string;
  readonly source: string;
}

/** Returns the public entries: neither internal nor generated. */
function entriesOf({ name, exports = {} }: Manifest): Entry[] {
  return Object.entries(exports)
    .filter(([path]) => path !== "./internal" && !path.includes("*"))
    .map(([path, source]) => ({ report: [name, ...path.split("/").slice(1)].join("-"), source }));
}

/** Returns the reports of a package, by file name. */
function reportsOf(folder: string, scratch: string): Map<string, string> {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const target = join(scratch, folder);
  const entries = entriesOf(manifest);
  if (entries.length === 0) return new Map();
  writeDeclarations(folder, target);
  writeFileSync(join(target, "package.json"), JSON.stringify({ name: manifest.name, version: "0.0.0" }));
  return new Map(
    entries.map(({ report, source }) => [`${report}.api.md`, extract(target, report, declarationOf(source))]),
  );
}

function declarationOf(source: string): string {
  return source.replace(/\.ts$/, ".d.ts");
}

/** Returns the report of an entry whose declarations are in a folder. */
function extract(target: string, report: string, entry: string): string {
  const folder = resolve(target);
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, entry),
      compiler: { overrideTsconfig: compilerOptions() },
      apiReport: { enabled: true, reportFileName: report, reportFolder: folder, reportTempFolder: folder },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: silent(),
    },
    configObjectFullPath: join(folder, "api-extractor.json"),
    packageJsonFullPath: join(folder, "package.json"),
  });
  Extractor.invoke(config, { localBuild: true, messageCallback: (message) => (message.handled = true) });
  return readFileSync(join(folder, `${report}.api.md`), "utf8").replaceAll("\r\n", "\n");
}

function compilerOptions(): object {
  const { compilerOptions: options } = JSON.parse(readFileSync("tsconfig.json", "utf8")) as {
    compilerOptions: object;
  };
  return { compilerOptions: { ...options, lib: ["es2023", "esnext.disposable"], target: "es2022" } };
}

/** Silences messages: the report shows signatures, and other checks cover comments. */
function silent(): object {
  const none = { default: { logLevel: "none" } };
  return { compilerMessageReporting: none, extractorMessageReporting: none, tsdocMessageReporting: none };
}

function reports(): Map<string, string> {
  // The folder is below the working directory, so that imports in the declarations are resolved.
  mkdirSync("dist", { recursive: true });
  const scratch = mkdtempSync("dist/api-");
  try {
    return new Map(
      PACKAGES.filter((folder) => existsSync(folder)).flatMap((folder) => [...reportsOf(folder, scratch)]),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function isCurrent(file: string, text: string | undefined): boolean {
  const path = join(REPORTS, file);
  return existsSync(path) && readFileSync(path, "utf8") === text;
}

const fresh = reports();
const known = existsSync(REPORTS) ? readdirSync(REPORTS).map((file) => basename(file)) : [];
const stale = [...new Set([...fresh.keys(), ...known])].filter((file) => !isCurrent(file, fresh.get(file)));
if (process.argv[2] === "--check") {
  for (const file of stale) process.stderr.write(`${join(REPORTS, file)} is not current; run: npm run api\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  for (const [file, text] of fresh) writeFileSync(join(REPORTS, file), text);
}
