/** Who may import whom: packages, the layers inside a package, and files, which have no cycles. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { LAYERS } from "./layers.ts";

/** The packages of ours that a package may import, by their npm names; all others are closed to it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  authorization: ["connect-rest-runtime"],
  codec: [],
  examples: ["protoc-gen-connect-rest"],
  gen: ["connect-rest-runtime", "connect-rest-codec"],
  gateway: ["connect-rest-runtime", "connect-rest-codec"],
  import: [],
  plugin: [],
  runtime: ["connect-rest-codec"],
  sandbox: [],
};

/** Packages that a package loads by name where they are installed: it has their types, and one `import()`. */
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

/** A file by its path from the root, and what it imports. */
export interface Import {
  readonly file: string;
  readonly target: string;
  /** Default: a statement that loads the module before the file runs. */
  readonly kind?: "type" | "dynamic" | undefined;
}

/** One line for every import below `root` that breaks a rule. */
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

/** One line for every import of a package that goes up, or comes from a place that its layers do not name. */
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

/** `runtime/src/errors/table.ts` is in `errors/`, `runtime/src/rest.ts` is its own layer. */
function layerOf(name: string, path: string): string {
  const [first = "", ...rest] = relative(join(name, "src"), path).split("/");
  return rest.length === 0 ? first : `${first}/`;
}

function isHeldToLayers(name: string, file: string): boolean {
  return file.startsWith(`${name}/src/`) && !file.endsWith(".test.ts") && !file.includes("/testing/");
}

/** Whether an import names a file of the package's `src/`; `package.json`, say, stands outside of it. */
function isSource(name: string, file: string, target: string): boolean {
  return target.startsWith(".") && join(dirname(file), target).startsWith(`${name}/src/`);
}

function importsOf(root: string, name: string): Import[] {
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.includes("node_modules"),
    )
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      return importsIn(readFileSync(path, "utf8"), relative(root, path));
    });
}

/**
 * The modules that a source names in `import` and `export ... from` statements, and in `import()`
 * of a literal.
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

/** One line for every import of a package of ours, or of its files, that is closed to a package. */
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

/** One line for every `import()` of a package that is loaded by name, but for the first. */
export function secondLoads(name: string, imports: readonly Import[]): string[] {
  return (LOADED[name] ?? []).flatMap((loaded) =>
    imports
      .filter(({ target, kind }) => kind === "dynamic" && target === loaded)
      .slice(1)
      .map(({ file }) => `${file} loads ${loaded} as well; ${name}/ loads it in one place`),
  );
}

/** Cycles among the files of a package. */
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
