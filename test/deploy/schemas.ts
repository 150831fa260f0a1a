/**
 * The schemas of Kubernetes and of the Compose specification. They come from PyPI, whose packages contain
 * JSON that rejects unknown keys. The npm packages for Kubernetes accept misspelled keys, and the npm package
 * for Compose is from 2021.
 */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  registerSchema,
  type SchemaObject,
  unregisterSchema,
  type Validator,
  validate,
} from "@hyperjump/json-schema/draft-2020-12";
import { type Installed, installed, run } from "../support/installed.ts";

type Json = Parameters<Validator>[0];

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const KUBERNETES = "kubernetes-validate==1.37.0";
const DEFINITIONS = "kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict/_definitions.json";
/** The definitions refer to each other by this path. */
const KUBERNETES_URI = "https://schemas.test/api/_definitions.json";

const COMPOSE = "check-jsonschema==0.39.0";
const SPECIFICATION = "check_jsonschema/builtin_schemas/vendor/compose-spec.json";
const COMPOSE_URI = "https://schemas.test/compose";

/** Extracts a file of the wheel in a folder. */
const EXTRACT = `
import glob, sys, zipfile
folder, member, target = sys.argv[1:]
(wheel,) = glob.glob(folder + "/*.whl")
open(target, "wb").write(zipfile.ZipFile(wheel).read(member))
`;

/** Downloads the schemas that are not in the cache. Returns the reason if a download fails. */
export async function downloadSchemas(): Promise<{ readonly problem?: string | undefined }> {
  const all = [await schemaFile(KUBERNETES, DEFINITIONS), await schemaFile(COMPOSE, SPECIFICATION)];
  return all.find(({ problem }) => problem !== undefined) ?? {};
}

/** A schema that values can be checked against. */
export interface Schema {
  /** Returns a line for each violation: the keyword of the schema and the place in the value. */
  problems(value: Json): readonly string[];
}

/** Returns the schema of Compose files. */
export async function composeSchema(): Promise<Schema> {
  const { $id: _, ...schema } = await read(COMPOSE, SPECIFICATION);
  unregisterSchema(COMPOSE_URI);
  registerSchema(schema as SchemaObject, COMPOSE_URI, DIALECT);
  return schemaOf(await validate(COMPOSE_URI));
}

/** Returns a function that checks manifests by the schema of their kind. */
export async function kubernetesSchema(): Promise<(manifest: Manifest) => Promise<readonly string[]>> {
  const { $defs: definitions } = (await read(KUBERNETES, DEFINITIONS)) as unknown as Definitions;
  unregisterSchema(KUBERNETES_URI);
  registerSchema({ $defs: definitions } as unknown as SchemaObject, KUBERNETES_URI, DIALECT);
  return async (manifest) => {
    const name = Object.entries(definitions).find(([, definition]) => describes(definition, manifest))?.[0];
    if (name === undefined) return [`there is no kind ${manifest.apiVersion} ${manifest.kind}`];
    return schemaOf(await validate(`${KUBERNETES_URI}#/$defs/${name}`)).problems(manifest);
  };
}

/** A manifest of Kubernetes. */
export interface Manifest {
  readonly [key: string]: Json;
  readonly apiVersion: string;
  readonly kind: string;
}

interface Definition {
  readonly "x-kubernetes-group-version-kind"?: readonly Readonly<
    Record<"group" | "version" | "kind", string>
  >[];
}

interface Definitions {
  readonly $defs: Readonly<Record<string, Definition>>;
}

function describes({ "x-kubernetes-group-version-kind": kinds = [] }: Definition, manifest: Manifest) {
  return kinds.some(({ group, version, kind }) => {
    return kind === manifest.kind && (group === "" ? version : `${group}/${version}`) === manifest.apiVersion;
  });
}

function schemaOf(check: Validator): Schema {
  return {
    problems: (value) => {
      const result = check(value, "BASIC");
      if (result.valid) return [];
      return (result.errors ?? []).map(({ absoluteKeywordLocation, instanceLocation }) => {
        return `${absoluteKeywordLocation.replace(/^[^#]*/, "")} at ${instanceLocation}`;
      });
    },
  };
}

async function read(requirement: string, member: string): Promise<Readonly<Record<string, Json>>> {
  const { path: file, problem } = await schemaFile(requirement, member);
  if (problem !== undefined) throw new Error(problem);
  return JSON.parse(readFileSync(file, "utf8"));
}

function schemaFile(requirement: string, member: string): Promise<Installed> {
  return installed(`${requirement.replace("==", "-")}-${path.basename(member)}`, async (draft) => {
    const folder = `${draft}.wheel`;
    try {
      const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
      await run("python3", [...download, "--dest", folder, requirement]);
      await run("python3", ["-c", EXTRACT, folder, member, draft]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
