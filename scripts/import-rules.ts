/** Checks imports between packages and between the layers of a package, and reports cycles of files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { LAYERS } from "./layers.ts";

/** Packages of this repository that each package may import, by npm name. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  authorization: ["connect-rest-runtime"],
  codec: [],
  console: [],
  examples: ["protoc-gen-connect-rest", "connect-rest-runtime"],
  gen: ["connect-rest-runtime", "connect-rest-codec"],
  gateway: ["connect-rest-runtime", "connect-rest-codec"],
  import: [],
  plugin: [],
  runtime: ["connect-rest-codec"],
  sandbox: [],
};

/**
 * Packages that a package loads dynamically if they are installed. The package imports their types, and has
 * only one `import()` of each.
 */
const LOADED: Readonly<Record<string, readonly string[]>> = {
  gateway: ["connect-rest-authorization"],
};

const OURS: readonly string[] = [
  "connect-rest-authorization",
  "connect-rest-codec",
  "connect-rest-runtime",
  "connect-rest-gateway",
  "connect-rest-import",
  "connect-rest-sandbox",
  "protoc-gen-connect-rest",
];

/** A file's path from the root, and a module that it imports. */
export interface Import {
  readonly file: string;
  readonly target: string;
  /** The kind of import. Default: a statement that loads the module before the file runs. */
  readonly kind?: "type" | "dynamic" | undefined;
}

/** Returns a line for each import below `root` that breaks a rule. */
export function importViolations(root: string): string[] {
  return Object.keys(ALLOWED)
    .filter((name) => existsSync(join(root, name)))
    .flatMap((name) => {
      const imports = importsOf(root, name);
      return [
        ...foreignImports(name, imports),
        ...upwardImports(name, imports),
        ...secondLoads(name, imports),
        ...cycles(imports),
      ];
    });
}

/**
 * Returns a line for each import of a higher layer, and for each import in a file that the layers do not
 * list.
 */
export function upwardImports(
  name: string,
  imports: readonly Import[],
  layers: readonly string[] = LAYERS[name] ?? [],
): string[] {
  if (layers.length === 0) return [];
  return imports
    .filter(({ file, target }) => isHeldToLayers(name, file) && isSource(name, file, target))
    .flatMap(({ file, target }) => {
      const from = layerOf(name, file);
      const to = layerOf(name, join(dirname(file), target));
      const unnamed = [from, to].find((layer) => !layers.includes(layer));
      if (unnamed !== undefined) {
        return [
          `${file}: ${unnamed} has no place in the layers of ${name}/; give it one in scripts/layers.ts`,
        ];
      }
      if (layers.indexOf(from) <= layers.indexOf(to)) return [];
      return [`${file} imports ${target}, which goes up: ${to} is above ${from} in the layers of ${name}/`];
    });
}

/**
 * Returns the layer of a file: `errors/` for `runtime/src/errors/table.ts`, the file itself for
 * `runtime/src/rest.ts`.
 */
function layerOf(name: string, path: string): string {
  const [first = "", ...rest] = relative(join(name, "src"), path).split("/");
  return rest.length === 0 ? first : `${first}/`;
}

function isHeldToLayers(name: string, file: string): boolean {
  return file.startsWith(`${name}/src/`) && !file.endsWith(".test.ts") && !file.includes("/testing/");
}

/** Reports whether an import is a file in the package's `src/`, unlike, for example, `package.json`. */
function isSource(name: string, file: string, target: string): boolean {
  return target.startsWith(".") && join(dirname(file), target).startsWith(`${name}/src/`);
}

function importsOf(root: string, name: string): Import[] {
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes("node_modules"),
    )
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      return importsIn(readFileSync(path, "utf8"), relative(root, path));
    });
}

/**
 * Returns the modules that a source names in `import` and `export ... from` statements, and in `import()` of
 * a literal.
 */
export function importsIn(source: string, file: string): Import[] {
  const statements = source.matchAll(
    /^(?:import|export)\b( type\b)?[^"';]*?from\s+"([^"]+)"|^import "([^"]+)"/gms,
  );
  const calls = source.matchAll(/\bimport\("([^"]+)"\)/g);
  return [
    ...[...statements].map(([, type, target, bare = ""]) => {
      return { file, target: target ?? bare, kind: type === undefined ? undefined : ("type" as const) };
    }),
    ...[...calls].map(([, target = ""]) => ({ file, target, kind: "dynamic" as const })),
  ];
}

/** Returns a line for each import of a package of this repository that is not allowed. */
export function foreignImports(name: string, imports: readonly Import[]): string[] {
  const allowed = ALLOWED[name] ?? [];
  const loaded = LOADED[name] ?? [];
  return imports
    .filter(({ file, target, kind }) => {
      if (target.startsWith(".")) return !join(dirname(file), target).startsWith(`${name}/`);
      const ours = OURS.find((each) => target === each || target.startsWith(`${each}/`));
      if (ours === undefined || allowed.includes(ours)) return false;
      return kind === undefined || !loaded.includes(ours);
    })
    .map(({ file, target }) => `${file} imports ${target}, which is closed to ${name}/`);
}

/** Returns a line for each `import()` of a package that is loaded dynamically, except the first one. */
export function secondLoads(name: string, imports: readonly Import[]): string[] {
  return (LOADED[name] ?? []).flatMap((loaded) =>
    imports
      .filter(({ target, kind }) => kind === "dynamic" && target === loaded)
      .slice(1)
      .map(({ file }) => `${file} loads ${loaded} as well; ${name}/ loads it in one place`),
  );
}

/** Finds cycles among the files of a package. */
function cycles(imports: readonly Import[]): string[] {
  const graph = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (!target.startsWith(".")) continue;
    graph.set(file, [...(graph.get(file) ?? []), join(dirname(file), target)]);
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push(`${[...trail.slice(start), file].join(" -> ")} is a cycle`);
    if (start >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

if (import.meta.main) {
  const violations = importViolations(".");
  for (const violation of violations) process.stderr.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
