/** The `package.json` of a new project. */
import { existsSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";
import { InitError } from "./init-error.ts";
import type { Project } from "./project.ts";

/** A `package.json`. */
export interface Manifest {
  readonly name?: string;
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** The buf executable is an npm package, which needs no install script. */
const ALLOW_SCRIPTS = { "@bufbuild/buf": false };

const SCRIPTS = { generate: "buf generate", check: "buf lint && tsc", start: "connect-rest serve" };

/** The tools of a project, at the versions that this package is tested with. */
export const TOOLS = {
  "@bufbuild/buf": "^1.75.0",
  "@bufbuild/protoc-gen-es": "^2.17.0",
  "@types/node": "^24.19.2",
  typescript: "^7.0.2",
} as const;

const OWN_FOLDERS = {
  "connect-rest-gateway": "gateway",
  "connect-rest-runtime": "runtime",
  "protoc-gen-connect-rest": "plugin",
  "connect-rest-import": "import",
} as const;

/**
 * Returns the `package.json` of a project; missing entries are added to an existing file.
 *
 * @throws InitError if an existing file is not JSON or rules out ES modules
 */
export function manifestFor(project: Project, folder: string): Manifest {
  const file = path.join(folder, "package.json");
  const before = existsSync(file) ? parse(file) : {};
  // Without a type, the files of an existing package are CommonJS modules.
  if (before.type === undefined ? "main" in before : before.type !== "module") {
    const type = before.type === undefined ? `no "type"` : `"type": ${JSON.stringify(before.type)}`;
    throw new InitError(
      `${file} has ${type}, but adapters are ES modules; set "type": "module", or choose another folder`,
    );
  }
  const has = { ...before.dependencies, ...before.devDependencies };
  return {
    name: project.name.replaceAll("_", "-"),
    ...(Object.keys(before).length === 0 && { version: "0.1.0", private: true }),
    ...before,
    type: "module",
    scripts: { ...before.scripts, ...absent(SCRIPTS, before.scripts) },
    dependencies: sorted({ ...before.dependencies, ...absent(dependencies(folder), has) }),
    devDependencies: sorted({ ...before.devDependencies, ...absent(devDependencies(project, folder), has) }),
    allowScripts: { ...before.allowScripts, ...absent(ALLOW_SCRIPTS, before.allowScripts) },
  };
}

/** Returns the entries whose names are missing from an object. */
function absent<T>(entries: Readonly<Record<string, T>>, object: object = {}): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !Object.hasOwn(object, name)));
}

function parse(file: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
    if (isObject(manifest)) return checked(manifest, file);
  } catch (error) {
    if (error instanceof InitError) throw error;
    throw new InitError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw new InitError(`${file} is not a JSON object; correct it, or choose another folder`);
}

/** Checks that the entries that a project extends are objects. */
function checked(manifest: object, file: string): Manifest {
  for (const name of ["scripts", "dependencies", "devDependencies", "allowScripts"]) {
    const entry: unknown = Reflect.get(manifest, name);
    if (entry === undefined || isObject(entry)) continue;
    throw new InitError(`${file}: "${name}" is not an object; correct it, or choose another folder`);
  }
  return manifest;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The packages that generated code and its callers import, in the versions on which this package depends. */
const IMPORTED = [
  "@bufbuild/protobuf",
  "@bufbuild/protovalidate",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
];

function dependencies(folder: string): Readonly<Record<string, string>> {
  const { dependencies: direct, peerDependencies: peers } = ownManifest();
  const tested: Readonly<Record<string, string>> = { ...direct, ...peers };
  return {
    ...Object.fromEntries(IMPORTED.map((name) => [name, tested[name] ?? "latest"])),
    ...own(["connect-rest-gateway", "connect-rest-runtime"], folder),
    ...indirect(folder),
  };
}

function devDependencies({ document }: Project, folder: string): Readonly<Record<string, string>> {
  const importer = document === undefined ? [] : (["connect-rest-import"] as const);
  return { ...TOOLS, ...own(["protoc-gen-connect-rest", ...importer], folder) };
}

/** Returns files of packages on which the direct dependencies of a project depend. */
function indirect(folder: string): Readonly<Record<string, string>> {
  const files = Object.entries(filesOf(ownFile(), folder));
  return Object.fromEntries(files.filter(([name]) => !Object.hasOwn(OWN_FOLDERS, name)));
}

interface OwnManifest extends Manifest {
  readonly version: string;
  readonly private?: boolean;
}

/** Returns the `package.json` of this package as it is installed. In a checkout, it has `private`. */
function ownManifest(): OwnManifest {
  return JSON.parse(readFileSync(ownFile(), "utf8")) as OwnManifest;
}

function ownFile(): string {
  const file = findPackageJSON("..", import.meta.url);
  if (file === undefined) throw new InitError("the package.json of connect-rest-gateway is missing");
  return file;
}

/**
 * Returns the versions of connect-rest's packages or, in a checkout, their folders. Packages that the
 * enclosing installation has from files come from these files.
 */
function own(names: readonly (keyof typeof OWN_FOLDERS)[], folder: string): Readonly<Record<string, string>> {
  const { private: isCheckout = false, version } = ownManifest();
  const repository = path.join(path.dirname(ownFile()), "..");
  const spec = (name: keyof typeof OWN_FOLDERS) =>
    isCheckout
      ? `file:${path.relative(path.resolve(folder), path.join(repository, OWN_FOLDERS[name]))}`
      : `^${version}`;
  const files = filesOf(ownFile(), folder);
  return Object.fromEntries(names.map((name) => [name, files[name] ?? spec(name)]));
}

/** The packages of connect-rest, which depend on each other. */
const OURS = /^(?:connect-rest-|protoc-gen-connect-rest$)/;

/**
 * Returns the packages of connect-rest that the installation of a package has from files, e.g. tarballs that
 * no registry has, with paths from a folder.
 */
export function filesOf(installed: string, folder: string): Readonly<Record<string, string>> {
  const root = path.resolve(path.dirname(installed), "../..");
  const file = path.join(root, "package.json");
  if (path.basename(path.resolve(installed, "../..")) !== "node_modules" || !existsSync(file)) return {};
  const { dependencies: direct, devDependencies: dev } = parse(file);
  return Object.fromEntries(
    Object.entries({ ...direct, ...dev })
      .filter(([name, spec]) => OURS.test(name) && spec.startsWith("file:"))
      .map(([name, spec]) => {
        const target = path.resolve(root, spec.slice("file:".length));
        return [name, `file:${path.relative(path.resolve(folder), target)}`];
      }),
  );
}

function sorted(packages: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(packages).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
