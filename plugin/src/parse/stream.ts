import { create, type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { INTEGERS } from "../descriptors/integers.ts";
import { isString, isTimestamp, millisOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import {
  type Cursor,
  CursorSchema,
  type Download,
  DownloadSchema,
  OverlapSchema,
  type Paginate,
  PaginateSchema,
  type Records,
  Records_Format,
  RecordsSchema,
  type Upload,
  UploadSchema,
} from "../gen/connectrest/v1/stream_rules_pb.ts";
import { DEFAULT_STREAM } from "../model/default-rules.ts";
import { resolveFieldPath, suggestion } from "../model/field-path.ts";
import type { Frozen } from "../model/freeze.ts";
import type { FieldPath, NextModel, OverlapModel, StreamModel } from "../model/model.ts";
import type { CountUnit } from "../model/types.ts";
import { responseNames } from "../model/wire-names.ts";
import { parseCondition } from "./condition.ts";
import { emptySpelling, hasMethodRules, httpRule, methodRules, rootless } from "./options.ts";
import { parsePoll } from "./poll.ts";
import { typeModels } from "./types.ts";

const { field: RULE } = MethodRulesSchema;
const { field: PAGINATE } = PaginateSchema;
const { field: UPLOAD } = UploadSchema;

const COUNT_UNITS: readonly CountUnit[] = ["seconds", "millis", "micros", "nanos"];

type StreamRule = "paginate" | "poll" | "upload" | "download" | "records" | "operation";

const FORMATS: Readonly<Record<Records_Format, "lines" | "events" | "array">> = {
  [Records_Format.FORMAT_UNSPECIFIED]: "lines",
  [Records_Format.LINES]: "lines",
  [Records_Format.EVENT_STREAM]: "events",
  [Records_Format.ARRAY]: "array",
};

/** The rules that map a server stream, as users write them. */
const SERVER_STREAM_RULES =
  "paginate for the items of a list, page by page; poll for a feed; records for one response, with format: LINES (NDJSON), EVENT_STREAM (server-sent events) or ARRAY (one JSON array); operation for the states of accepted work; download for a body of bytes";

/**
 * Parses the stream rule of a method. Returns undefined for a unary method, and if the rule has a problem.
 */
export function parseStream(desc: DescMethod, problems: Problems): StreamModel | undefined {
  const { paginate, poll, upload, download, records, operation } = methodRules(desc);
  // a unary method waits for its long-running operation, and is not a stream
  const states = desc.methodKind === "unary" ? undefined : operation;
  const rules = { paginate, poll, upload, download, records, operation: states };
  const named = (Object.keys(rules) as Array<keyof typeof rules>).filter((rule) => rules[rule] !== undefined);
  const context: Context = { desc, problems };
  for (const rule of named) checkKind(rule, context);
  const [, second] = named;
  if (second !== undefined) {
    fault(
      context,
      second,
      "stream-rules",
      `${nameOf(desc)} has more than one stream rule: ${named.join(", ")}`,
    );
  }
  if (named.length === 0) return isBareServerStream(desc) ? bareServerStream(desc) : undefined;
  if (paginate !== undefined) return parsePaginate(paginate, context);
  if (poll !== undefined) return parsePoll(poll, desc, problems);
  if (upload !== undefined) return parseUpload(upload, context);
  if (records !== undefined) return parseRecords(records, desc);
  if (states !== undefined) return { kind: "operation" };
  return download === undefined ? undefined : parseDownload(download, context);
}

interface Context {
  readonly desc: DescMethod;
  readonly problems: Problems;
}

/** Reports a fault of a stream rule. `below` is the path from the rule to the fault. */
function fault(
  { desc, problems }: Context,
  rule: StreamRule,
  code: string,
  text: string,
  ...below: readonly number[]
): undefined {
  problems.add(desc, [RULES, RULE[rule].number, ...below], code, text);
  return undefined;
}

function checkKind(rule: StreamRule, context: Context): void {
  const kind = rule === "upload" ? "client_streaming" : "server_streaming";
  if (context.desc.methodKind === kind) return;
  const expected = rule === "upload" ? "client" : "server";
  fault(
    context,
    rule,
    "stream-kind",
    `${rule} requires a method with a ${expected} stream alone; ${nameOf(context.desc)} is not one`,
  );
}

/** Reports whether a server stream has only an HTTP rule, as in an API that does not use this language. */
function isBareServerStream(desc: DescMethod): boolean {
  return desc.methodKind === "server_streaming" && !hasMethodRules(desc) && !httpRule(desc)?.responseBody;
}

/** Returns the form of Google's REST streams: raw bytes of any type, or the items of one JSON array. */
function bareServerStream(desc: DescMethod): StreamModel {
  const [, data] = desc.output.typeName === "google.api.HttpBody" ? desc.output.fields : [];
  if (data !== undefined) return { kind: "download", chunk: data };
  return parseRecords(create(RecordsSchema, { format: Records_Format.ARRAY }), desc);
}

/** Reports a stream without a stream rule. The other parts of the method are still checked. */
export function checkMapped(desc: DescMethod, problems: Problems): void {
  if (desc.methodKind === "unary" || isBareServerStream(desc)) return;
  const { paginate, poll, upload, download, records, operation } = methodRules(desc);
  if (paginate ?? poll ?? upload ?? download ?? records ?? operation) return;
  const remedy =
    desc.methodKind === "server_streaming"
      ? `add one: ${SERVER_STREAM_RULES}; or remove its HTTP rule`
      : desc.methodKind === "client_streaming"
        ? "add upload, which makes it the request body or a part of it, or remove its HTTP rule"
        : "HTTP has no calls that stream both ways; remove its HTTP rule";
  problems.add(
    desc,
    [],
    "stream-unmapped",
    `the stream ${nameOf(desc)} has no rule that maps it to REST calls; ${remedy}`,
  );
}

function parsePaginate(rule: Frozen<Paginate>, context: Context): StreamModel | undefined {
  if (rule.items.length === 0) {
    return fault(
      context,
      "paginate",
      "stream-items",
      'paginate needs the path to its items, e.g. items: "posts", or "." for the payload',
    );
  }
  const next = parseNext(rule, context);
  if (next === undefined) return undefined;
  return {
    kind: "paginate",
    items: rule.items.map(rootless),
    next,
    more: rule.more && parseCondition(rule.more),
    empty: rule.empty.map(emptySpelling),
    known: rule.known,
    maxPages: rule.maxPages || DEFAULT_STREAM.maxPages,
    maxEmptyPages: rule.maxEmptyPages || DEFAULT_STREAM.maxEmptyPages,
  };
}

function parseNext(
  { next, linkQuery, linkAlways: always, total, first }: Frozen<Paginate>,
  context: Context,
): NextModel | undefined {
  switch (next.case) {
    case "link":
      return { kind: "link", path: rootless(next.value), query: rootless(linkQuery), always };
    case "linkHeader":
      return { kind: "link_header", rel: next.value };
    case "offset":
    case "page": {
      const field = integerField(next.value, context, PAGINATE[next.case].number);
      const [by, start] = next.case === "offset" ? (["items", 0] as const) : (["page", 1] as const);
      return field && { kind: "step", by, field, first: first ?? start, total: total || undefined };
    }
    case "cursor":
    case "lastItem":
      return parseCursor(next.value, next.case, context);
    default:
      return fault(
        context,
        "paginate",
        "paginate-next",
        "paginate does not say how to find the next page; set link, link_header, offset, page, cursor or last_item",
      );
  }
}

function parseCursor(
  cursor: Frozen<Cursor>,
  kind: "cursor" | "lastItem",
  context: Context,
): NextModel | undefined {
  const place = [PAGINATE[kind].number, CursorSchema.field.field.number] as const;
  const field = steppedField(cursor.field, context, ...place);
  if (field === undefined) return undefined;
  const { path, header, always } = cursor;
  if ((path.length === 0) === (header === "" || kind === "lastItem")) {
    const text = "the cursor needs `path`, or (only for `cursor`) `header`";
    return fault(context, "paginate", "paginate-cursor", text, PAGINATE[kind].number);
  }
  if (!takesCursor(lastOf(field))) {
    const text = `the field \`${cursor.field}\` takes no cursor; use a string, an integer or a Timestamp`;
    return fault(context, "paginate", "paginate-cursor", text, ...place);
  }
  const from = path.length === 0 ? "header" : kind === "cursor" ? "payload" : "last_item";
  const paths = from === "header" ? [header.toLowerCase()] : path;
  const overlap = parseOverlap(cursor, kind, lastOf(field), context);
  if (overlap === "faulty") return undefined;
  return { kind: "cursor", from, paths, field, always, overlap };
}

function parseOverlap(
  { overlap, field: name }: Frozen<Cursor>,
  kind: "cursor" | "lastItem",
  field: DescField,
  context: Context,
): OverlapModel | undefined | "faulty" {
  if (overlap === undefined) return undefined;
  const place = [PAGINATE[kind].number, CursorSchema.field.overlap.number] as const;
  const faulty = (text: string, ...below: readonly number[]) => {
    fault(context, "paginate", "paginate-overlap", `paginate: the overlap ${text}`, ...place, ...below);
    return "faulty" as const;
  };
  if (kind === "cursor") return faulty("belongs to `last_item`: a cursor of the response is unique");
  if (overlap.key === "") return faulty('needs a key that identifies an item, e.g. key: "id"');
  if (overlap.defaultSize < 0) {
    const text = `has a default_size of 1 item or more, or 0 where it is unknown, got ${overlap.defaultSize}`;
    return faulty(text, OverlapSchema.field.defaultSize.number);
  }
  const notation = isTimestamp(field) ? typeModels.field(field).time?.notation : undefined;
  const unit = COUNT_UNITS.find((each) => each === notation);
  const isInteger = field.fieldKind === "scalar" && INTEGERS.has(field.scalar);
  if (unit === undefined && !isInteger) {
    return faulty(`needs a field that is an integer, or a Timestamp with a \`unit\`; \`${name}\` is neither`);
  }
  const sizePlace = [...place, OverlapSchema.field.size.number] as const;
  const size = overlap.size === "" ? undefined : integerField(overlap.size, context, ...sizePlace);
  if (overlap.size !== "" && size === undefined) return "faulty";
  const step = overlap.ascending ? -1 : 1;
  const again = overlap.inclusive ? 0 : step;
  const { key, defaultSize } = overlap;
  return { key, unit, again, past: again - step, size, defaultSize };
}

function takesCursor(field: DescField): boolean {
  if (field.fieldKind === "scalar") {
    return field.scalar === ScalarType.STRING || INTEGERS.has(field.scalar);
  }
  return field.fieldKind === "message" && isTimestamp(field);
}

function integerField(name: string, context: Context, ...place: readonly number[]): FieldPath | undefined {
  const path = steppedField(name, context, ...place);
  if (path === undefined) return undefined;
  const field = lastOf(path);
  if (field.fieldKind === "scalar" && INTEGERS.has(field.scalar)) return path;
  const text = `the field \`${name}\` must be an integer to count pages or items`;
  return fault(context, "paginate", "paginate-step", text, ...place);
}

/**
 * Returns the field that changes from page to page: a field of the request, or of a message in the request.
 */
function steppedField(name: string, context: Context, ...place: readonly number[]): FieldPath | undefined {
  const { fields, fault: text } = resolveFieldPath(context.desc.input, name);
  if (fields !== undefined) return fields;
  return fault(context, "paginate", "stream-field", `paginate: ${text}`, ...place);
}

function lastOf(path: FieldPath): DescField {
  return path.at(-1) as DescField;
}

function requestField(
  name: string,
  rule: StreamRule,
  context: Context,
  ...place: readonly number[]
): DescField | undefined {
  return fieldOf(context.desc.input, name, rule, context, ...place);
}

function fieldOf(
  message: DescMessage,
  name: string,
  rule: StreamRule,
  context: Context,
  ...place: readonly number[]
): DescField | undefined {
  const field = message.fields.find((candidate) => candidate.name === name);
  return (
    field ??
    fault(
      context,
      rule,
      "stream-field",
      `${rule}: message ${message.typeName} has no field \`${name}\`${suggestion(name, message)}`,
      ...place,
    )
  );
}

function parseRecords(rule: Frozen<Records>, desc: DescMethod): StreamModel {
  const { event, id, data, end, last, idle } = rule;
  return {
    kind: "records",
    format: FORMATS[rule.format] ?? "lines",
    event,
    id,
    data,
    text:
      data !== "" &&
      desc.output.fields.some((field) => isString(field) && responseNames(field, typeModels).includes(data)),
    ownError: desc.output.fields.some(takesError),
    end,
    last: last && parseCondition(last),
    idleMs: idle && millisOf(idle),
  };
}

/** Reports whether a field reads the key `error`, or a key inside its value. */
function takesError(field: DescField): boolean {
  const { sources } = typeModels.field(field);
  const paths = sources.flatMap((source) => (source.kind === "path" ? [source.path] : []));
  return [...responseNames(field, typeModels), ...paths].some((path) => /^error(?:\.|$)/.test(path));
}

function parseDownload(rule: Frozen<Download>, context: Context): StreamModel | undefined {
  const chunk = bytesField(context.desc.output, rule.chunk, "download", context);
  return chunk && { kind: "download", chunk };
}

function parseUpload(rule: Frozen<Upload>, context: Context): StreamModel | undefined {
  const chunk = bytesField(context.desc.input, rule.chunk, "upload", context);
  const optional = (name: string, place: number) =>
    name === "" ? undefined : requestField(name, "upload", context, place);
  const quoted = /^'(.*)'$/.exec(rule.part)?.[1];
  if (chunk === undefined) return undefined;
  return {
    kind: "upload",
    chunk,
    contentType: optional(rule.contentType, UPLOAD.contentType.number),
    part: quoted ?? optional(rule.part, UPLOAD.part.number),
    filename: optional(rule.filename, UPLOAD.filename.number),
  };
}

function bytesField(
  message: DescMessage,
  name: string,
  rule: "upload" | "download",
  context: Context,
): DescField | undefined {
  const place = (rule === "upload" ? UploadSchema : DownloadSchema).field.chunk.number;
  const field = fieldOf(message, name, rule, context, place);
  if (field === undefined || (field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES)) {
    return field;
  }
  const text = `${rule}: the chunk \`${name}\` must be a field of type bytes`;
  return fault(context, rule, "stream-chunk", text, place);
}
