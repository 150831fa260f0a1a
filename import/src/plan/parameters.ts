import { wordsOf } from "../names/words.ts";
import type { Parameter } from "../normalize/api.ts";
import type { SchemaNode } from "../normalize/schema.ts";
import { type Message, Token } from "../proto/model.ts";
import type { Cause } from "../report/causes.ts";
import { type Alternative, groupsOf } from "./alternatives.ts";
import { descriptionOf } from "./comments.ts";
import { type FieldDraft, plainType, type Spot, scalar, type Typed } from "./context.ts";
import { isJson } from "./media-types.ts";
import type { Planner } from "./planner.ts";
import { isLine, isOwned, isToken } from "./wire-names.ts";

/**
 * The context in which the fields of parameters are planned, and the requirements that the parameters add.
 */
export class Placement {
  /** Whether the body contains all fields without a place. */
  readonly isBesideFields: boolean;
  /** Whether a parameter requires names with brackets: `filter[name]=a`. */
  brackets = false;

  private readonly names: Set<string>;

  /** @param constants the names of constant parameters of the query */
  constructor(isBesideFields: boolean, constants: readonly string[]) {
    this.isBesideFields = isBesideFields;
    this.names = new Set(constants.map((name) => `query ${name}`));
  }

  /** Reports whether a parameter can have a name: the name is valid, and no other parameter has it. */
  takes(place: Parameter["in"], name: string): boolean {
    const isValid = place === "query" ? name !== "" && isLine(name) : isToken(name);
    const key = `${place} ${place === "header" ? name.toLowerCase() : name}`;
    if (!isValid || this.names.has(key)) return false;
    this.names.add(key);
    return true;
  }
}

/** Further headers that an operation must not declare (OpenAPI 3.0, section Parameter Object). */
const PROTOCOL_HEADERS = ["accept", "authorization"];

/** Adds the field of a parameter in the query, a header or a cookie. */
export function addParameter(
  planner: Planner,
  message: Message,
  parameter: Parameter,
  spot: Spot,
  placement: Placement,
): void {
  const { name, place } = parameter;
  if (parameter.in === "header" && (isOwned(name) || PROTOCOL_HEADERS.includes(name.toLowerCase()))) {
    planner.report.add("protocol-header", place, `${message.path}: ${name}`);
    return;
  }
  if (!placement.takes(parameter.in, name)) {
    planner.report.add("invalid-name", place, `${message.path}: ${name}`);
    return;
  }
  const words = wordsOf(name);
  const inner: Spot = { ...spot, textual: true, words, element: `${message.path}.${name}` };
  const location = locationOf(parameter, placement);
  const draft = {
    key: `${parameter.in}:${name}`,
    wire: name,
    required: parameter.required,
    nullable: !parameter.required,
    comment: commentOf(planner, parameter),
    deprecated: parameter.deprecated,
    place,
    rules: location === undefined ? {} : { in: new Token(location) },
  };
  const schema = parameter.schema === undefined ? undefined : planner.schemas.read(parameter.schema);
  if (schema === undefined || parameter.contentType !== undefined) {
    planner.addField(message, { ...draft, typed: contentType(planner, parameter, inner) });
    return;
  }
  if (schema.shape.kind === "union" && parameter.in === "query" && parameter.schema !== undefined) {
    const kinds = [...groupsOf(planner.schemas, schema).keys()];
    if (kinds.includes("object") && kinds.length > 1 && parameter.style === "deepObject") {
      placement.brackets = true;
      planner.addField(message, { ...draft, typed: planner.typeOf(parameter.schema, inner) });
      return;
    }
  }
  addTyped(planner, message, parameter, draft, { spot: inner, placement });
}

/** Returns the type of a parameter that is written in a media type. */
function contentType(planner: Planner, { contentType, schema, in: place }: Parameter, spot: Spot): Typed {
  if (schema === undefined || contentType === undefined) return text();
  const isText = !isJson(contentType);
  if (isText || place === "path" || place === "cookie") {
    const isString = planner.schemas.read(schema).shape.kind === "string";
    return text(isString && isText ? undefined : "json-parameter");
  }
  const typed = planner.typeOf(schema, { ...spot, textual: false });
  return { ...typed, rules: { ...typed.rules, json_text: true } };
}

function addTyped(
  planner: Planner,
  message: Message,
  parameter: Parameter,
  draft: Omit<FieldDraft, "typed">,
  { spot, placement }: { spot: Spot; placement: Placement },
): void {
  if (parameter.schema === undefined) return;
  const typed = parameterType(planner, parameter, spot, placement);
  if (typed !== "spread") {
    planner.addField(message, { ...draft, typed });
    return;
  }
  const schema = planner.schemas.read(parameter.schema);
  if (schema.shape.kind !== "object") return;
  for (const [name, node] of schema.shape.properties) {
    const property = planner.schemas.read(node);
    // the name of the parameter itself is not sent
    if (name !== parameter.name && !placement.takes("query", name)) {
      planner.report.add("invalid-name", property.place, `${message.path}: ${name}`);
      continue;
    }
    const words = wordsOf(name);
    const typed = planner.typeOf(node, { ...spot, words: [...spot.words, ...words] });
    const required = parameter.required && schema.shape.required.has(name) && !property.notes.readOnly;
    planner.addField(message, {
      ...draft,
      key: `${draft.key}:${name}`,
      wire: name,
      typed: typed.label === "map" ? text("object-parameter") : textual(typed),
      required,
      nullable: !required,
      comment: descriptionOf(property.notes),
    });
  }
}

function locationOf(parameter: Parameter, placement: Placement): string | undefined {
  if (parameter.in === "query") return placement.isBesideFields ? "QUERY" : undefined;
  return parameter.in.toUpperCase();
}

function commentOf(planner: Planner, parameter: Parameter): string {
  if (parameter.schema === undefined) return parameter.description;
  const { notes } = planner.schemas.read(parameter.schema);
  const description = parameter.description || notes.description;
  return descriptionOf({ ...notes, ...(description === undefined ? {} : { description }) });
}

function text(weakened?: Cause): Typed {
  return plainType(scalar("string"), weakened);
}

/** Returns the type of a parameter; `spread` if each property is a separate parameter. */
function parameterType(
  planner: Planner,
  parameter: Parameter,
  spot: Spot,
  placement: Placement,
): Typed | "spread" {
  if (parameter.schema === undefined) return text();
  const schema = planner.schemas.read(parameter.schema);
  const { shape } = schema;
  const inQuery = parameter.in === "query";
  if (shape.kind === "union") return unionParameter(planner, parameter, spot, placement);
  if (shape.kind === "object") {
    if (!inQuery) return text("object-parameter");
    if (parameter.style === "deepObject") return deepObject(planner, parameter, spot, placement);
    if (parameter.style !== "form" || !parameter.explode) return text("object-parameter");
    if (shape.properties.size > 0) return "spread";
    const typed = planner.typeOf(parameter.schema, spot);
    const map: Typed = typed.label === "map" ? textual(typed) : { ...text(), label: "map" };
    return { ...map, rules: { style: new Token("SPREAD") } };
  }
  if (shape.kind === "array" || shape.kind === "tuple") {
    return listParameter(planner, parameter, spot, placement);
  }
  return textual(planner.typeOf(parameter.schema, spot));
}

function deepObject(planner: Planner, parameter: Parameter, spot: Spot, placement: Placement): Typed {
  placement.brackets = true;
  return parameter.schema === undefined ? text() : planner.typeOf(parameter.schema, spot);
}

/**
 * Returns the type of a union in a parameter: a oneof of scalars of several JSON types, or the type of
 * alternatives of one JSON type, or a string.
 */
function unionParameter(planner: Planner, parameter: Parameter, spot: Spot, placement: Placement): Typed {
  if (parameter.schema === undefined) return text();
  const own = scalarSpot(planner, parameter.schema, spot);
  if (own !== spot) return textual(planner.typeOf(parameter.schema, own));
  const kinds = [...groupsOf(planner.schemas, planner.schemas.read(parameter.schema)).keys()];
  if (kinds.length === 1 && kinds[0] === "object" && parameter.style === "deepObject") {
    return deepObject(planner, parameter, spot, placement);
  }
  if (kinds.includes("object")) return text("union-in-parameter");
  // accept both `tag=a` and `tag=a&tag=b`
  if (kinds.includes("array") && parameter.in === "query" && parameter.explode) {
    return { ...text(), label: "repeated" };
  }
  const isScalar = kinds.every((kind) => kind === "string" || kind === "number" || kind === "boolean");
  const typed = isScalar ? planner.typeOf(parameter.schema, spot) : text();
  return textual(typed);
}

/** Returns the spot of a schema. If the schema is a union of scalars, the spot keeps their JSON types. */
export function scalarSpot(planner: Planner, node: SchemaNode, spot: Spot): Spot {
  const groups = groupsOf(planner.schemas, planner.schemas.read(node));
  const isScalar = [...groups].every(
    ([kind, each]) => kind === "number" || kind === "boolean" || (kind === "string" && !each.some(isBytes)),
  );
  return groups.size > 1 && isScalar ? { ...spot, textual: false } : spot;
}

function isBytes({ schema: { format } }: Alternative): boolean {
  return format === "byte" || format === "base64url";
}

function listParameter(planner: Planner, parameter: Parameter, spot: Spot, placement: Placement): Typed {
  if (parameter.schema === undefined) return text();
  const { shape } = planner.schemas.read(parameter.schema);
  const items = shape.kind === "array" ? shape.items : undefined;
  const own = items === undefined ? spot : scalarSpot(planner, items, spot);
  const typed = planner.typeOf(parameter.schema, own);
  if (typed.label !== "repeated") return { ...text(), label: "repeated" };
  if ((typed.type.kind === "message" && !isTextUnion(typed.type.message)) || typed.rules.unwrap === true) {
    if (parameter.in === "query" && parameter.style === "deepObject") {
      placement.brackets = true;
      return typed;
    }
    return text("object-parameter");
  }
  const list = textual(typed);
  if (parameter.in === "header") return list;
  if (parameter.style === "form" && parameter.explode) return list;
  if (parameter.in === "cookie") return text("delimited-parameter");
  if (parameter.style === "deepObject") {
    return { ...list, rules: { ...list.rules, style: new Token("BRACKETS") } };
  }
  if (parameter.style !== "form") return text("delimited-parameter");
  return { ...list, rules: { ...list.rules, style: new Token("COMMA") } };
}

/**
 * Returns a type whose values are written as text: every JSON type has a string form. A oneof of scalars is
 * kept.
 */
export function textual(typed: Typed): Typed {
  const { type } = typed;
  const isJson =
    (type.kind === "message" && !isTextUnion(type.message)) ||
    (type.kind === "foreign" && type.name !== "google.protobuf.Timestamp");
  const isBytes = type.kind === "scalar" && type.name === "bytes";
  return isJson || isBytes ? { ...text(typed.weakened), label: typed.label } : typed;
}

/** Reports whether a message is a oneof of scalars, which a parameter writes as one text. */
function isTextUnion({ fields }: Message): boolean {
  if (fields.length === 0) return false;
  return fields.every(({ oneof, type }) => {
    if (oneof === undefined) return false;
    return type.kind === "enum" || (type.kind === "scalar" && type.name !== "bytes");
  });
}
