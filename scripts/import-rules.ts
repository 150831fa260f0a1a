/** Who may import whom: the rooms of the house, and the files inside a room, have no cycles. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The packages of ours that a room may import, by their npm names; other rooms are closed to it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  gen: ["connect-rest"],
  gateway: ["connect-rest"],
  plugin: [],
  runtime: [],
  sandbox: [],
};

const OURS: readonly string[] = [
  "connect-rest",
  "connect-rest-gateway",
  "connect-rest-sandbox",
  "protoc-gen-connect-rest",
];

interface Import {
  readonly file: string;
  readonly target: string;
}

/** One line for every import that breaks a rule. */
export function importViolations(root: string): string[] {
  return Object.keys(ALLOWED).flatMap((room) => {
    const imports = importsOf(root, room);
    return [...foreignImports(room, imports), ...cycles(imports)];
  });
}

function importsOf(root: string, room: string): Import[] {
  return readdirSync(join(root, room), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.includes("node_modules"),
    )
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const file = relative(root, path);
      return [
        ...readFileSync(path, "utf8").matchAll(
          /^(?:import|export)\b[^"';]*?from\s+"([^"]+)"|^import "([^"]+)"/gms,
        ),
      ].map((match) => ({ file, target: match[1] ?? match[2] ?? "" }));
    });
}

function foreignImports(room: string, imports: readonly Import[]): string[] {
  const allowed = ALLOWED[room] ?? [];
  return imports
    .filter(({ file, target }) => {
      if (target.startsWith(".")) return !join(dirname(file), target).startsWith(`${room}/`);
      const name = OURS.find((ours) => target === ours || target.startsWith(`${ours}/`));
      return name !== undefined && !allowed.includes(name);
    })
    .map(({ file, target }) => `${file} imports ${target}, which is closed to ${room}/`);
}

/** Cycles among the files of a room. Tests are left out: nothing imports them. */
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
