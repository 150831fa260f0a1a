import { flagAt, isObject, listAt, member, textAt, textsAt } from "../json.ts";
import type { Library } from "../load/library.ts";
import { child, type Node, placeOf } from "../load/node.ts";
import type { Version } from "../load/version.ts";
import { ImportError } from "../problem.ts";
import type { Api, Operation, Requirement, Unsupported } from "./api.ts";
import { openApiOperation, openApiParameters } from "./openapi.ts";
import type { OperationSite } from "./operation-site.ts";
import { schemesOf, serversOf } from "./security.ts";
import { swaggerOperation, swaggerParameters } from "./swagger.ts";

const VERBS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Reads the properties of the API as a whole, and its operations. */
export function readApi(library: Library, version: Version): Api {
  const { root } = library;
  const info = member(root.value, "info");
  return {
    title: textAt(info, "title")?.trim() || "API",
    version: textAt(info, "version") ?? "",
    description: textAt(info, "description") ?? "",
    servers: serversOf(root, version),
    operations: operationsOf(library, version),
    webhooks: namedIn(child(root, "webhooks")),
    schemes: schemesOf(library, version),
    tags: new Map(
      listAt(root.value, "tags").map((tag) => [textAt(tag, "name") ?? "", textAt(tag, "description") ?? ""]),
    ),
  };
}

function operationsOf(library: Library, version: Version): Operation[] {
  const paths = child(library.root, "paths");
  if (paths.value === undefined && version === "3.1") return [];
  if (!isObject(paths.value)) {
    throw new ImportError(placeOf(paths), "is missing; an API has an object of paths");
  }
  return Object.keys(paths.value)
    .filter((path) => !path.startsWith("x-"))
    .flatMap((path) => pathOperations(library, version, child(paths, path), path));
}

function pathOperations(library: Library, version: Version, node: Node, path: string): Operation[] {
  const item = library.follow(node);
  if (!isObject(item.value)) {
    throw new ImportError(placeOf(item), "is not an object; expected operations such as `get`");
  }
  return VERBS.filter((verb) => isObject(member(item.value, verb))).map((verb) =>
    operation(library, version, { item, at: child(item, verb), path, verb }),
  );
}

function operation(library: Library, version: Version, site: OperationSite): Operation {
  const { at, item } = site;
  const { value } = at;
  const isSwagger = version === "2.0";
  const parameters = isSwagger ? swaggerParameters(library, site) : openApiParameters(library, site);
  const { body, responses } = isSwagger ? swaggerOperation(library, site) : openApiOperation(library, site);
  return {
    place: placeOf(at),
    verb: site.verb.toUpperCase(),
    path: site.path,
    operationId: textAt(value, "operationId"),
    tags: textsAt(value, "tags"),
    summary: textAt(value, "summary") ?? textAt(item.value, "summary") ?? "",
    description: textAt(value, "description") ?? "",
    deprecated: flagAt(value, "deprecated"),
    parameters,
    body,
    responses,
    security: securityOf(at.value) ?? securityOf(library.root.value),
    servers: [...serversOf(at, version), ...serversOf(item, version)],
    callbacks: namedIn(child(at, "callbacks")),
    links: linksOf(library, at),
  };
}

function linksOf(library: Library, at: Node): Unsupported[] {
  const responses = child(at, "responses");
  if (!isObject(responses.value)) return [];
  return Object.keys(responses.value).flatMap((status) => {
    return namedIn(child(library.follow(child(responses, status)), "links"));
  });
}

/** Returns the entries of an object. */
function namedIn(node: Node): Unsupported[] {
  if (!isObject(node.value)) return [];
  return Object.keys(node.value)
    .filter((name) => !name.startsWith("x-"))
    .map((name) => ({ place: placeOf(child(node, name)), name }));
}

function securityOf(value: Node["value"]): Requirement[] | undefined {
  if (!Array.isArray(member(value, "security"))) return undefined;
  return listAt(value, "security")
    .filter(isObject)
    .map(
      (requirement) => new Map(Object.keys(requirement).map((name) => [name, textsAt(requirement, name)])),
    );
}
