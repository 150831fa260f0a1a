import { textAt } from "../json.ts";
import { wordsOf } from "../names/words.ts";
import type { Body, Content, Operation, Parameter } from "../normalize/api.ts";
import type { Schema } from "../normalize/schema.ts";
import { type Field, type Message, type OptionValue, Token } from "../proto/model.ts";
import { descriptionOf } from "./comments.ts";
import { type FieldDraft, HTTP_BODY, plainType, type Spot, scalar, type Typed } from "./context.ts";
import { filePart, isFile } from "./file-parts.ts";
import { isForm, isJson, isMultipart, preferredContent } from "./media-types.ts";
import { addParameter, Placement, scalarSpot, textual } from "./parameters.ts";
import { pathTemplate } from "./paths.ts";
import type { FormNotation, Planner } from "./planner.ts";
import { isLine } from "./wire-names.ts";

/** A request as an HTTP rule and method rules. */
export interface PlannedRequest {
  readonly path: string;
  /** The `body` of the HTTP rule. */
  readonly body: string | undefined;
  readonly rules: Readonly<Record<string, OptionValue>>;
}

/** The value of `body` for all fields. */
const WHOLE_BODY = "*";

/** Plans the request message of an operation. */
export function planRequest(planner: Planner, operation: Operation, message: Message): PlannedRequest {
  const { report } = planner;
  const spot: Spot = { root: message, words: [], element: message.path, request: true };
  const template = pathTemplate(operation.path);
  if (template.hasFragment) report.add("path-fragment", operation.place, message.path);
  const body = bodyOf(planner, operation, message);
  const kind = body === undefined ? undefined : bodyKind(body);
  const placement = new Placement(
    kind === "fields",
    template.constants.map(([name]) => name),
  );
  addPathFields(planner, operation, message, spot);
  for (const parameter of operation.parameters) {
    if (parameter.in !== "path") addParameter(planner, message, parameter, spot, placement);
  }
  const planned =
    body === undefined || kind === undefined ? undefined : addBody(planner, message, body, spot, kind);
  // only a body with names could hold the constants
  const inQuery = planned?.field === WHOLE_BODY ? { in_query: true as const } : {};
  const constants = template.constants.map(([name, value]) => ({ name, value, ...inQuery }));
  const nesting = placement.brackets || planned?.brackets === true;
  message.reservedNumbers.push(...planner.lock.retired(message.path));
  return {
    path: template.template,
    body: planned?.field,
    rules: {
      ...planned?.rules,
      ...(nesting ? { http: { nesting: new Token("BRACKETS") } } : {}),
      ...(constants.length === 0 ? {} : { parameters: constants }),
    },
  };
}

function addPathFields(planner: Planner, operation: Operation, message: Message, spot: Spot): void {
  const declared = new Map(
    operation.parameters.filter((each) => each.in === "path").map((each) => [each.name, each]),
  );
  for (const { parameters, field } of pathTemplate(operation.path).variables) {
    const known = parameters.flatMap((name) => declared.get(name) ?? []);
    for (const name of parameters) declared.delete(name);
    const [only] = known;
    if (known.length < parameters.length) {
      planner.report.add("undeclared-variable", operation.place, `${message.path}.${field}`);
    }
    const typed: Typed =
      parameters.length > 1
        ? plainType(scalar("string"), "two-variables")
        : pathType(planner, only, { ...spot, words: wordsOf(field), element: `${message.path}.${field}` });
    planner.addField(message, {
      key: `path:${parameters.join(" ")}`,
      wire: undefined,
      words: field.split("_"),
      typed,
      // the runtime rejects a path without the value
      required: false,
      nullable: false,
      comment: known.map((each) => parameterComment(planner, each)).join("\n"),
      deprecated: only?.deprecated ?? false,
      place: only?.place ?? operation.place,
    });
  }
  for (const { place, name } of declared.values()) {
    planner.report.add("unknown-parameter", place, `${message.path}: ${name}`);
  }
}

function pathType(planner: Planner, parameter: Parameter | undefined, spot: Spot): Typed {
  if (parameter?.schema === undefined) return plainType(scalar("string"));
  const typed = planner.typeOf(parameter.schema, scalarSpot(planner, parameter.schema, spot));
  if (typed.label !== "") return plainType(scalar("string"), "list-in-path");
  return typed.type.kind === "foreign" ? plainType(scalar("string")) : textual(typed);
}

function parameterComment(planner: Planner, parameter: Parameter): string {
  if (parameter.schema === undefined) return parameter.description;
  const { notes } = planner.schemas.read(parameter.schema);
  const description = parameter.description || notes.description;
  return descriptionOf({ ...notes, ...(description === undefined ? {} : { description }) });
}

interface ChosenBody {
  readonly body: Body;
  readonly content: Content;
  readonly schema: Schema | undefined;
}

/** Plans the body in one of its media types. */
function bodyOf(planner: Planner, operation: Operation, message: Message): ChosenBody | undefined {
  const { body } = operation;
  if (body === undefined) return undefined;
  const content = preferredContent(body.contents);
  if (content === undefined) return undefined;
  if (operation.verb === "GET" || operation.verb === "HEAD") {
    if (!isEmptyObject(planner, content)) planner.report.add("body-of-get", body.place, message.path);
    return undefined;
  }
  for (const other of body.contents) {
    if (other !== content) planner.report.add("other-content", other.place, `${message.path}: ${other.type}`);
  }
  return {
    body,
    content,
    schema: content.schema === undefined ? undefined : planner.schemas.read(content.schema),
  };
}

/** Reports whether a body is an object without fields, which some tools generate for GET. */
function isEmptyObject(planner: Planner, { schema }: Content): boolean {
  const shape = schema === undefined ? undefined : planner.schemas.read(schema).shape;
  return shape?.kind === "object" && shape.properties.size === 0 && typeof shape.additional !== "object";
}

/** The form of a body: fields next to the fields of parameters, one field, or bytes. */
type BodyKind = "fields" | "field" | "bytes";

function bodyKind({ content, schema }: ChosenBody): BodyKind {
  if (isForm(content.type) || isMultipart(content.type)) return "fields";
  if (!isJson(content.type) || schema === undefined) return "bytes";
  const isInline = schema.name === undefined && !schema.nullable;
  return isInline && schema.shape.kind === "object" && schema.shape.properties.size > 0 ? "fields" : "field";
}

interface PlannedBody {
  readonly field: string | undefined;
  readonly brackets: boolean;
  readonly rules: Readonly<Record<string, OptionValue>>;
}

function addBody(
  planner: Planner,
  message: Message,
  chosen: ChosenBody,
  spot: Spot,
  kind: BodyKind,
): PlannedBody {
  const { content, schema } = chosen;
  if (kind === "bytes") return addBytes(planner, message, chosen);
  const headers = specialType(content.type);
  if (kind === "field") return addBodyField(planner, message, chosen, spot, headers);
  const before = message.fields.length;
  const fields = schema === undefined ? schema : fieldsOf(planner, schema);
  if (fields !== undefined) {
    if (isMultipart(content.type)) {
      addParts(planner, message, fields, spot, content);
    } else {
      const textual = { ...spot, textual: isForm(content.type) };
      planner.addProperties(message, fields, textual, { prefix: "body:", notations: notationsOf(content) });
    }
  }
  const encoding = isForm(content.type) ? "FORM" : isMultipart(content.type) ? "MULTIPART" : undefined;
  if (message.fields.length === before) return { field: undefined, brackets: false, rules: {} };
  return {
    field: WHOLE_BODY,
    brackets: encoding !== undefined && message.fields.slice(before).some(isNested),
    rules: encoding === undefined ? headers : { request_encoding: new Token(encoding) },
  };
}

/** Reports whether a form or a multipart body has several names for the values of a field. */
function isNested({ label, type, options }: Field): boolean {
  const isPart = options.some(({ value }) => {
    return typeof value === "object" && ("in" in value || "json_text" in value);
  });
  const isMessage =
    type.kind === "message" || (type.kind === "foreign" && type.name !== "google.protobuf.Timestamp");
  return !isPart && (label === "map" || isMessage);
}

/**
 * Returns the object whose properties are the fields of a form; for a union, an object with the properties of
 * all alternatives.
 */
function fieldsOf(planner: Planner, schema: Schema): Schema | undefined {
  return schema.shape.kind === "union" ? planner.mergedFields(schema) : schema;
}

/** Returns the notations of the fields of a form: `expand[]=a`, or JSON as text. */
function notationsOf({ encodings }: Content): ReadonlyMap<string, FormNotation> {
  const notations = new Map<string, FormNotation>();
  for (const [name, encoding] of encodings) {
    if (textAt(encoding, "style") === "deepObject") notations.set(name, "brackets");
    const type = textAt(encoding, "contentType") ?? "";
    if (!type.includes("*") && isJson(type)) notations.set(name, "json");
  }
  return notations;
}

function addParts(planner: Planner, message: Message, schema: Schema, spot: Spot, content: Content): void {
  const files = new Map<string, { readonly repeated: boolean }>();
  const notations = new Map(notationsOf(content));
  if (schema.shape.kind !== "object") return;
  for (const [name, node] of schema.shape.properties) {
    const found = isFile(planner.schemas, node);
    if (found !== undefined) files.set(name, found);
    // the default for objects (OpenAPI 3.0 and 3.1, Encoding Object)
    const isObject = planner.schemas.read(node).shape.kind === "object";
    if (isObject && !content.encodings.has(name)) notations.set(name, "json");
  }
  planner.addProperties(
    message,
    schema,
    { ...spot, textual: true },
    { prefix: "body:", skip: new Set(files.keys()), notations },
  );
  for (const [name, { repeated }] of files) {
    if (name === "" || !isLine(name)) {
      planner.report.add("invalid-name", schema.place, `${message.path}: ${name}`);
      continue;
    }
    const node = schema.shape.properties.get(name);
    const notes = node === undefined ? undefined : planner.schemas.read(node).notes;
    planner.addField(message, {
      key: `body:${name}`,
      wire: name,
      typed: {
        ...plainType({ kind: "message", message: filePart(planner) }),
        label: repeated ? "repeated" : "",
      },
      required: schema.shape.required.has(name) && notes?.readOnly !== true,
      nullable: false,
      comment: notes === undefined ? "" : descriptionOf(notes),
      deprecated: false,
      place: schema.place,
      rules: { in: new Token("PART") },
    });
  }
}

/** Returns the rule for a JSON Content-Type other than application/json. */
function specialType(type: string): Readonly<Record<string, OptionValue>> {
  if (type === "application/json" || !type.endsWith("+json")) return {};
  return { headers: { name: "Content-Type", value: type } };
}

function addBodyField(
  planner: Planner,
  message: Message,
  { body, schema, content }: ChosenBody,
  spot: Spot,
  rules: Readonly<Record<string, OptionValue>>,
): PlannedBody {
  if (schema === undefined || content.schema === undefined) {
    return { field: undefined, brackets: false, rules };
  }
  if (schema.nullable) planner.report.add("null-in-request", content.place, `${message.path}.body`);
  const words = schema.name === undefined ? ["body"] : wordsOf(schema.name);
  const draft: FieldDraft = {
    key: "body",
    wire: undefined,
    words,
    typed: planner.typeOf(content.schema, { ...spot, words, element: `${message.path}.body` }),
    required: body.required,
    nullable: !body.required,
    comment: body.description || descriptionOf(schema.notes),
    deprecated: false,
    place: content.place,
  };
  return { field: planner.addField(message, draft).name, brackets: false, rules };
}

function addBytes(planner: Planner, message: Message, { body, content }: ChosenBody): PlannedBody {
  const comment = `${body.description}\nThe request body with its Content-Type, e.g. ${content.type}.`;
  const field = planner.addField(message, {
    key: "body",
    wire: undefined,
    words: ["body"],
    typed: plainType(HTTP_BODY),
    required: body.required,
    nullable: false,
    comment,
    deprecated: false,
    place: content.place,
  });
  return { field: field.name, brackets: false, rules: {} };
}
