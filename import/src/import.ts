import type { Json } from "./json.ts";
import { Library } from "./load/library.ts";
import type { Document } from "./load/node.ts";
import type { Reader } from "./load/reader.ts";
import { versionOf } from "./load/version.ts";
import { Lock } from "./lock/lock.ts";
import { snake, wordsOf } from "./names/words.ts";
import type { Api, Operation } from "./normalize/api.ts";
import { readApi } from "./normalize/read-api.ts";
import type { SchemaNode } from "./normalize/schema.ts";
import { Schemas } from "./normalize/schemas.ts";
import { Bases } from "./plan/bases.ts";
import { filesOf } from "./plan/files.ts";
import { isCallable } from "./plan/paths.ts";
import { type NameStyle, Planner } from "./plan/planner.ts";
import { draftServices, planService } from "./plan/services.ts";
import { usageOf } from "./plan/usage.ts";
import { printFile } from "./print/file.ts";
import { ImportError } from "./problem.ts";
import { adaptersOf } from "./project/configuration.ts";
import { projectFiles } from "./project/project.ts";
import { Report } from "./report/report.ts";
import { countWeakened } from "./report/weakened.ts";
import { matching, type Selection, selected } from "./select.ts";

/** The operations to import, and the names to use. */
export interface ImportOptions extends Selection {
  /** The proto package, which ends in a version. Default: the title of the document, and `v1`. */
  readonly package?: string | undefined;
  /** The name of the upstream in the configuration. Default: the first part of the package. */
  readonly upstream?: string | undefined;
  /** Patterns of operations, as in `include`, that are streamed although they only appear to have pages. */
  readonly paginate?: readonly string[] | undefined;
  /** The lock file of the previous import. */
  readonly lock?: Lock | undefined;
  /** Called with the number of methods that are planned, and the number of all methods. */
  readonly onProgress?: ((planned: number, methods: number) => void) | undefined;
}

export interface Imported {
  /** The files to write, by path relative to the output folder. */
  readonly files: ReadonlyMap<string, string>;
  /** The adapters that are generated from the files, as `connect-rest.yaml` lists them. */
  readonly adapters: readonly string[];
  readonly lock: string;
  readonly report: Report;
  readonly package: string;
}

/** Imports a parsed document. */
export async function importDocument(
  first: Document,
  reader: Reader,
  options: ImportOptions = {},
): Promise<Imported> {
  const version = versionOf(first.value, first.name);
  const library = await Library.load(first, reader);
  const api = readApi(library, version);
  const report = new Report();
  for (const { place, name } of api.webhooks) report.add("callbacks", place, name);
  const operations = selected(api.operations, options).filter((operation) => isCalled(operation, report));
  if (operations.length === 0) {
    throw new ImportError(
      "#/paths",
      "no operation is selected; look at --include and --exclude, and at the paths of the document",
    );
  }
  const schemas = new Schemas(library, version);
  const style = styleOf(first.value);
  const packageName = options.package ?? defaultPackage(api);
  const lock = options.lock ?? Lock.empty();
  const usage = usageOf(schemas, operations.flatMap(requestSchemas));
  const planner = new Planner(schemas, report, lock, { package: packageName, style, usage });
  const upstream = options.upstream ?? packageName.split(".")[0] ?? "api";
  const paginated = new Set(matching(operations, options.paginate ?? []));
  const bases = new Bases(api, operations);
  const paginates = (operation: Operation) => paginated.has(operation);
  const serviceOptions = { upstream, style, bases, paginates };
  const drafts = draftServices(planner, api, operations, serviceOptions);
  const all = drafts.reduce((sum, { methods }) => sum + methods.length, 0);
  let planned = 0;
  const services = drafts.map((draft) => {
    const service = planService(planner, api, draft, serviceOptions);
    planned += draft.methods.length;
    options.onProgress?.(planned, all);
    return service;
  });
  const files = filesOf({
    name: packageName,
    comment: headerOf(api),
    services,
    messages: planner.topLevel,
    enums: planner.allEnums,
  });
  const likelyPages = report.findings.flatMap(({ cause, element }) => {
    return cause === "likely-pages" ? [element] : [];
  });
  countWeakened(report, services, planner.topLevel);
  return {
    files: new Map([
      ...files.map((file) => [file.path, printFile(file)] as const),
      ...projectFiles({
        api,
        upstream,
        package: packageName,
        services,
        files,
        operations,
        likelyPages,
        bases: bases.names,
      }),
    ]),
    adapters: adaptersOf(files),
    lock: lock.print(),
    report,
    package: packageName,
  };
}

function isCalled(operation: Operation, report: Report): boolean {
  const { verb, path, place } = operation;
  const cause = verb === "TRACE" ? "verb" : isCallable(path) ? undefined : "path";
  if (cause !== undefined) report.add(cause, place, path);
  return cause === undefined;
}

function requestSchemas({ parameters, body }: Operation): SchemaNode[] {
  const bodies = body?.contents.flatMap(({ schema }) => schema ?? []) ?? [];
  return [...parameters.flatMap(({ schema }) => schema ?? []), ...bodies];
}

function defaultPackage({ title }: Api): string {
  const words = wordsOf(title).filter((word) => !/^(?:api|rest|openapi|swagger|v\d+|the|\d+)$/.test(word));
  return `${snake(words.length === 0 ? ["api"] : words).replaceAll(/_(\d)/g, "$1")}.v1`;
}

function headerOf({ title, version }: Api): string {
  const name = version === "" ? title : `${title}, version ${version}`;
  return `Written by connect-rest-import from ${name.replaceAll(/\s+/g, " ")}. Do not edit; see README.md.`;
}

/** Returns the notation that most property names have. */
function styleOf(document: Json): NameStyle {
  let declared = 0;
  let camel = 0;
  const seen = new Set<object>();
  const stack: Json[] = [document];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    const properties = Object.hasOwn(value, "properties")
      ? (value as { properties: Json }).properties
      : undefined;
    if (typeof properties === "object" && properties !== null) {
      for (const name of Object.keys(properties)) {
        if (/^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(name)) declared += 1;
        if (/^[a-z0-9]+(?:[A-Z][a-z0-9]*)+$/.test(name)) camel += 1;
      }
    }
    for (const each of Object.values(value) as Json[]) stack.push(each);
  }
  return camel > declared ? "LOWER_CAMEL" : "AS_DECLARED";
}
