import { flagAt, isObject, type Json, member, textAt, textsAt } from "../json.ts";
import type { Library } from "../load/library.ts";
import { child, type Node, placeOf } from "../load/node.ts";
import { type Body, type Content, mediaType, type Parameter, type Response } from "./api.ts";
import { headersOf, parameterNodes } from "./openapi.ts";
import type { OperationSite } from "./operation-site.ts";
import { objectOf, rawSchema } from "./schema.ts";

const PLACES = ["path", "query", "header"] as const;

/** The `style` and `explode` of 3.0 for each `collectionFormat` of Swagger 2.0. */
const STYLES: Readonly<Record<string, { readonly style: string; readonly explode: boolean }>> = {
  csv: { style: "form", explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
};

/** Returns the parameters of an operation, except its body. */
export function swaggerParameters(library: Library, site: OperationSite): Parameter[] {
  return parameterNodes(library, site).flatMap((node) => parameter(node) ?? []);
}

function parameter(node: Node): Parameter | undefined {
  const place = PLACES.find((each) => each === textAt(node.value, "in"));
  const name = textAt(node.value, "name");
  if (place === undefined || name === undefined) return undefined;
  return {
    place: placeOf(node),
    name,
    in: place,
    required: flagAt(node.value, "required") || place === "path",
    description: textAt(node.value, "description") ?? "",
    deprecated: flagAt(node.value, "deprecated"),
    // type, format and items are keys of the parameter itself
    schema: rawSchema(node),
    ...(STYLES[textAt(node.value, "collectionFormat") ?? "csv"] ?? { style: "form", explode: false }),
    contentType: undefined,
  };
}

/** Returns the body and the responses of an operation. */
export function swaggerOperation(
  library: Library,
  site: OperationSite,
): { body: Body | undefined; responses: readonly Response[] } {
  return { body: bodyOf(library, site), responses: responsesOf(library, site) };
}

function bodyOf(library: Library, site: OperationSite): Body | undefined {
  const nodes = parameterNodes(library, site);
  const body = nodes.find((node) => textAt(node.value, "in") === "body");
  if (body !== undefined) {
    const types = typesOf(library, site, "consumes", "application/json");
    return {
      place: placeOf(body),
      required: flagAt(body.value, "required"),
      description: textAt(body.value, "description") ?? "",
      contents: types.map((type) => content(child(body, "schema"), type)),
    };
  }
  const fields = nodes.filter((node) => textAt(node.value, "in") === "formData");
  return fields.length === 0 ? undefined : formBody(library, site, fields);
}

function formBody(library: Library, site: OperationSite, fields: readonly Node[]): Body {
  const named = fields.map((node) => [textAt(node.value, "name") ?? "", node] as const);
  const required = named.filter(([, node]) => flagAt(node.value, "required")).map(([name]) => name);
  const properties = new Map(named.map(([name, node]) => [name, rawSchema(node)]));
  const place = `${placeOf(site.at)}/parameters`;
  const hasFile = fields.some((node) => textAt(node.value, "type") === "file");
  const types = typesOf(library, site, "consumes", "application/x-www-form-urlencoded");
  const isMultipart = hasFile || types.every((type) => type === "multipart/form-data");
  const encodings = new Map(
    named.flatMap(([name, node]): [string, Json][] => {
      const format = textAt(node.value, "collectionFormat");
      return format === undefined ? [] : [[name, { ...STYLES[format] }]];
    }),
  );
  const type = isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded";
  const schema = objectOf(place, properties, new Set(required));
  return {
    place,
    required: required.length > 0,
    description: "",
    contents: [{ place, type, schema, encodings }],
  };
}

function responsesOf(library: Library, site: OperationSite): Response[] {
  const responses = child(site.at, "responses");
  if (!isObject(responses.value)) return [];
  const types = typesOf(library, site, "produces", "application/json");
  return Object.keys(responses.value)
    .filter((status) => !status.startsWith("x-"))
    .map((status) => {
      const node = library.follow(child(responses, status));
      const schema = child(node, "schema");
      return {
        place: placeOf(node),
        status,
        description: textAt(node.value, "description") ?? "",
        contents: schema.value === undefined ? [] : types.map((type) => content(schema, type)),
        headers: headersOf(library, node),
      };
    });
}

function content(schema: Node, type: string): Content {
  return {
    place: placeOf(schema),
    type,
    schema: schema.value === undefined ? undefined : rawSchema(schema),
    encodings: new Map(),
  };
}

function typesOf(library: Library, { at }: OperationSite, key: string, fallback: string): string[] {
  const own = member(at.value, key);
  const types = textsAt(own === undefined ? library.root.value : at.value, key).map(mediaType);
  return types.length === 0 ? [fallback] : types;
}
