import { flagAt, isObject, type Json, listAt, member, textAt } from "../json.ts";
import type { Library } from "../load/library.ts";
import { child, type Node, placeOf } from "../load/node.ts";
import type { Body, Content, Parameter, Response, ResponseHeader } from "./api.ts";
import { mediaType } from "./api.ts";
import type { OperationSite } from "./operation-site.ts";
import { rawSchema, type SchemaNode } from "./schema.ts";

const PLACES = ["path", "query", "header", "cookie"] as const;

/**
 * Returns the parameters of an operation, and the parameters of its path that the operation does not replace.
 */
export function openApiParameters(library: Library, site: OperationSite): Parameter[] {
  return parameterNodes(library, site).flatMap((node) => parameter(library, node) ?? []);
}

/**
 * Returns the nodes of parameters. A parameter of the operation replaces a parameter of the path with the
 * same name and location.
 */
export function parameterNodes(library: Library, { item, at }: OperationSite): Node[] {
  const found = new Map<string, Node>();
  for (const owner of [item, at]) {
    for (const [index] of listAt(owner.value, "parameters").entries()) {
      const node = library.follow(child(owner, "parameters", index));
      found.set(`${textAt(node.value, "in")} ${textAt(node.value, "name")}`, node);
    }
  }
  return [...found.values()];
}

function parameter(library: Library, node: Node): Parameter | undefined {
  const place = PLACES.find((each) => each === textAt(node.value, "in"));
  const name = textAt(node.value, "name");
  if (place === undefined || name === undefined) return undefined;
  const content = firstContent(library, node);
  const style = textAt(node.value, "style") ?? (place === "query" || place === "cookie" ? "form" : "simple");
  const explode = member(node.value, "explode");
  return {
    place: placeOf(node),
    name,
    in: place,
    required: flagAt(node.value, "required") || place === "path",
    description: textAt(node.value, "description") ?? "",
    deprecated: flagAt(node.value, "deprecated"),
    schema: content?.schema ?? schemaOf(node),
    style,
    explode: explode === undefined ? style === "form" : explode === true,
    contentType: content?.type,
  };
}

function schemaOf(node: Node): SchemaNode | undefined {
  const schema = child(node, "schema");
  return schema.value === undefined ? undefined : rawSchema(schema);
}

function firstContent(library: Library, node: Node): Content | undefined {
  return contentsOf(library, node)[0];
}

/** Returns the body and the responses of an operation. */
export function openApiOperation(
  library: Library,
  { at }: OperationSite,
): { body: Body | undefined; responses: readonly Response[] } {
  const request = child(at, "requestBody");
  return {
    body: isObject(request.value) ? bodyOf(library, request) : undefined,
    responses: responsesOf(library, at),
  };
}

function bodyOf(library: Library, request: Node): Body {
  const node = library.follow(request);
  return {
    place: placeOf(node),
    required: flagAt(node.value, "required"),
    description: textAt(node.value, "description") ?? "",
    contents: contentsOf(library, node),
  };
}

function responsesOf(library: Library, operation: Node): Response[] {
  const responses = child(operation, "responses");
  if (!isObject(responses.value)) return [];
  return Object.keys(responses.value)
    .filter((status) => !status.startsWith("x-"))
    .map((status) => {
      const node = library.follow(child(responses, status));
      return {
        place: placeOf(node),
        status: status.toUpperCase() === "DEFAULT" ? "default" : status.toUpperCase(),
        description: textAt(node.value, "description") ?? "",
        contents: contentsOf(library, node),
        headers: headersOf(library, node),
      };
    });
}

function contentsOf(library: Library, node: Node): Content[] {
  const content = child(node, "content");
  if (!isObject(content.value)) return [];
  return Object.keys(content.value).map((type) => {
    const each = library.follow(child(content, type));
    return {
      place: placeOf(each),
      type: mediaType(type),
      schema: schemaOf(each),
      encodings: entriesOf(member(each.value, "encoding")),
    };
  });
}

function entriesOf(value: Json | undefined): ReadonlyMap<string, Json> {
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** Returns the headers of a response. */
export function headersOf(library: Library, response: Node): ResponseHeader[] {
  const headers = child(response, "headers");
  if (!isObject(headers.value)) return [];
  return Object.keys(headers.value).map((name) => {
    const node = library.follow(child(headers, name));
    const schema = isObject(member(node.value, "schema")) ? child(node, "schema") : node;
    return {
      place: placeOf(node),
      name,
      description: textAt(node.value, "description") ?? "",
      schema: rawSchema(schema),
    };
  });
}
