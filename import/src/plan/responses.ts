import { wordsOf } from "../names/words.ts";
import type { Content, Operation, Response } from "../normalize/api.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import { type Message, type OptionValue, Token } from "../proto/model.ts";
import { anyOf } from "./alternatives.ts";
import { descriptionOf } from "./comments.ts";
import { type FieldDraft, plainType, type Spot, scalar } from "./context.ts";
import { isJson, preferredContent, recordFormat } from "./media-types.ts";
import type { Pages } from "./pages.ts";
import type { Planner } from "./planner.ts";
import { fillWhole } from "./unions.ts";
import { isToken } from "./wire-names.ts";

/** A response as an HTTP rule and method rules. */
export interface PlannedResponse {
  /** The `response_body` of the HTTP rule. */
  readonly body: string | undefined;
  readonly serverStreaming: boolean;
  readonly rules: Readonly<Record<string, OptionValue>>;
}

const PLAIN = { required: false, nullable: false, deprecated: false } as const;

/** Plans the response message of an operation. */
export function planResponse(planner: Planner, operation: Operation, message: Message): PlannedResponse {
  const spot: Spot = { root: message, words: [], element: message.path, request: false };
  const successes = successesOf(operation);
  const planned = planBody(planner, message, successes, spot);
  if (!planned.serverStreaming) addHeaders(planner, message, successes, spot);
  message.reservedNumbers.push(...planner.lock.retired(message.path));
  return planned;
}

/** Plans the response message of a method that streams the items of all pages. */
export function planItem(
  planner: Planner,
  message: Message,
  pages: Pages,
  fieldOf: (parameter: string) => string,
): PlannedResponse {
  const spot: Spot = { root: message, words: [], element: message.path, request: false };
  const schema = planner.schemas.read(pages.item);
  if (isInlineObject(schema)) {
    planner.addProperties(message, schema, spot);
  } else {
    fillWhole(planner, message, pages.item, spot);
  }
  message.reservedNumbers.push(...planner.lock.retired(message.path));
  return { body: undefined, serverStreaming: true, rules: { paginate: pages.rule(fieldOf) } };
}

/** Reports whether the properties of a schema are the fields of a request or response. */
function isInlineObject({ name, nullable, shape }: Schema): boolean {
  return name === undefined && !nullable && shape.kind === "object" && shape.properties.size > 0;
}

/** Returns the successful responses; the default response if none is declared. */
export function successesOf({ responses }: Operation): readonly Response[] {
  const successes = responses.filter(({ status }) => /^2(?:\d\d|XX)$/.test(status));
  if (successes.length > 0) return successes;
  return responses.filter(({ status }) => status === "default");
}

function planBody(
  planner: Planner,
  message: Message,
  successes: readonly Response[],
  spot: Spot,
): PlannedResponse {
  const contents = successes.flatMap(({ contents: each }) => each);
  const stream = contents.find(({ type }) => recordFormat(type) !== undefined);
  const json = successes.flatMap(({ contents: each }) => {
    const found = preferredContent(each);
    return found !== undefined && isJson(found.type) && found.schema !== undefined ? [found] : [];
  });
  // if a parameter selects between a stream and a single response, callers expect the single response
  if (stream !== undefined && json.length === 0) return planRecords(planner, message, stream, spot);
  if (json.length === 0) return planBytes(planner, message, contents[0]);
  for (const other of contents) {
    if (!json.includes(other)) {
      planner.report.add("other-content", other.place, `${message.path}: ${other.type}`);
    }
  }
  const nodes = json.flatMap(({ schema }) => schema ?? []);
  const node = anyOf(planner.schemas, nodes);
  return node === undefined ? planBytes(planner, message, undefined) : planJson(planner, message, node, spot);
}

function planRecords(planner: Planner, message: Message, content: Content, spot: Spot): PlannedResponse {
  const format = recordFormat(content.type) ?? "LINES";
  const rules = { records: { format: new Token(format) } };
  const schema = content.schema === undefined ? undefined : planner.schemas.read(content.schema);
  const isRecord = schema?.shape.kind === "object" && schema.shape.properties.size > 0;
  if (isRecord && content.schema !== undefined) {
    planner.addProperties(message, schema, spot);
    return { body: undefined, serverStreaming: true, rules };
  }
  planner.addField(message, {
    ...PLAIN,
    key: "data",
    wire: "data",
    typed: plainType(scalar("string")),
    comment: "The content of the record.",
    place: content.place,
  });
  const events =
    format === "EVENT_STREAM" ? { format: new Token(format), data: "data" } : { format: new Token(format) };
  return { body: undefined, serverStreaming: true, rules: { records: events } };
}

function planBytes(planner: Planner, message: Message, content: Content | undefined): PlannedResponse {
  if (content === undefined) {
    return { body: undefined, serverStreaming: false, rules: { response_encoding: new Token("EMPTY") } };
  }
  const field = planner.addField(message, {
    ...PLAIN,
    key: "content",
    wire: undefined,
    words: ["content"],
    typed: plainType(scalar("bytes")),
    comment: `The response body, e.g. ${content.type}.`,
    place: content.place,
  });
  planner.addField(message, {
    ...PLAIN,
    key: "header:content-type",
    wire: undefined,
    words: ["content", "type"],
    typed: plainType(scalar("string")),
    comment: "The Content-Type of the response body.",
    place: content.place,
    rules: { from: { header: "Content-Type" } },
  });
  return { body: field.name, serverStreaming: false, rules: { response_encoding: new Token("BYTES") } };
}

function planJson(planner: Planner, message: Message, node: SchemaNode, spot: Spot): PlannedResponse {
  const schema = planner.schemas.read(node);
  if (isInlineObject(schema)) {
    planner.addProperties(message, schema, spot);
    return { body: undefined, serverStreaming: false, rules: {} };
  }
  const words = fieldWords(planner, schema);
  const draft: FieldDraft = {
    ...PLAIN,
    key: "body",
    wire: undefined,
    words,
    typed: planner.typeOf(node, { ...spot, words, element: `${message.path}.${words.join("_")}` }),
    comment: descriptionOf(schema.notes),
    place: schema.place,
  };
  return { body: planner.addField(message, draft).name, serverStreaming: false, rules: {} };
}

/**
 * Returns the words for the payload of a response: the name of its schema, or of the schema of list items.
 */
function fieldWords(planner: Planner, schema: Schema): readonly string[] {
  if (schema.name !== undefined) return nonEmpty(wordsOf(schema.name), "body");
  if (schema.shape.kind !== "array" || schema.shape.items === undefined) return ["body"];
  const { name } = planner.schemas.read(schema.shape.items);
  if (name === undefined) return ["items"];
  const words = nonEmpty(wordsOf(name), "item");
  return [...words.slice(0, -1), plural(words.at(-1) ?? "item")];
}

function nonEmpty(words: readonly string[], fallback: string): readonly string[] {
  return words.length === 0 ? [fallback] : words;
}

function plural(word: string): string {
  if (/s$/.test(word)) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Adds the headers that a response declares, as strings or numbers. */
function addHeaders(planner: Planner, message: Message, successes: readonly Response[], spot: Spot): void {
  const added = new Set<string>();
  for (const { name, schema, description, place } of successes.flatMap(({ headers }) => headers)) {
    if (!isToken(name)) {
      planner.report.add("invalid-name", place, `${message.path}: ${name}`);
      continue;
    }
    const key = name.toLowerCase();
    if (added.has(key) || key === "content-type") continue;
    added.add(key);
    const words = wordsOf(name);
    const typed =
      schema === undefined ? plainType(scalar("string")) : planner.typeOf(schema, { ...spot, words });
    const isPlain =
      typed.label === "" &&
      typed.type.kind === "scalar" &&
      ["int32", "int64", "bool"].includes(typed.type.name);
    planner.addField(message, {
      ...PLAIN,
      key: `header:${key}`,
      wire: undefined,
      words,
      typed: plainType(isPlain ? typed.type : scalar("string")),
      comment: description,
      place,
      rules: { from: { header: name } },
      nullable: true,
    });
  }
}
