/** Reads the files in `deploy/`. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { Manifest } from "./schemas.ts";

export const ROOT = path.resolve(import.meta.dirname, "../..");

/** Returns the text of a file in `deploy/`. */
export function textOf(file: string): string {
  return readFileSync(path.join(ROOT, "deploy", file), "utf8");
}

/** A service of the Compose file. */
export interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
}

/** The Compose file, with its anchors resolved. */
export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export function readCompose(): Compose {
  return parse(textOf("compose.yaml"), { merge: true }) as Compose;
}

/** Returns the manifests of Kubernetes, by their files. */
export function readManifests(): readonly (readonly [file: string, manifest: Manifest])[] {
  return globSync("deploy/kubernetes/*.yaml", { cwd: ROOT })
    .toSorted()
    .flatMap((file) => {
      const documents = parseAllDocuments(readFileSync(path.join(ROOT, file), "utf8"), { version: "1.2" });
      return documents.map((document) => [path.basename(file), document.toJS() as Manifest] as const);
    });
}

/** Returns the manifest of a kind. */
export function manifestOf(kind: string): Manifest {
  const found = readManifests().find(([, manifest]) => manifest.kind === kind);
  if (found === undefined) throw new Error(`deploy/kubernetes has no ${kind}`);
  return found[1];
}

/** How the container of an image starts. */
export interface Target {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly health: readonly string[];
  readonly user: string;
  readonly workdir: string;
  readonly ports: readonly string[];
}

/** Returns the instructions of a target in the Dockerfile, and of the stages that it starts from. */
export function readTarget(name: string): Target {
  const lines = instructionsOf(name);
  const last = (instruction: string) =>
    lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? "";
  const exec = (text: string) => JSON.parse(text.slice(text.indexOf("["))) as readonly string[];
  const variables = lines.filter((line) => line.startsWith("ENV ")).map((line) => line.slice(4).split("="));
  return {
    entrypoint: exec(last("ENTRYPOINT")),
    command: exec(last("CMD")),
    health: exec(last("HEALTHCHECK")),
    environment: Object.fromEntries(variables),
    user: last("USER"),
    workdir: last("WORKDIR"),
    ports: last("EXPOSE").split(" "),
  };
}

function instructionsOf(name: string): readonly string[] {
  const stages = textOf("Dockerfile").split(/^(?=FROM )/m);
  const stage = stages.find((text) => text.split("\n", 1)[0]?.endsWith(` AS ${name}`));
  if (stage === undefined) return [];
  const [from = "", ...lines] = stage.split("\n").filter((line) => /^[A-Z]/.test(line));
  return [...instructionsOf(from.split(" ")[1] ?? ""), ...lines];
}
