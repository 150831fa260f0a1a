/**
 * Reads requests as an upstream does. The readers share no code with the writers: URLSearchParams reads URLs
 * and forms, undici reads multipart, JSON.parse reads JSON.
 */

import { stringifyJson } from "../../codec/src/json/stringify-json.ts";
import type { RestBody, RestRequest } from "../../runtime/src/adapter/rest-request.ts";
import { encodeMultipart, multipartType } from "../../runtime/src/request/multipart.ts";

/** The upstream's conventions for reading a method's requests. */
export interface Reading {
  /** Whether the upstream reads brackets in parameter names as nesting. */
  readonly isNested?: boolean;
  /** Whether the upstream reads parameters as bytes instead of text. */
  readonly isRaw?: boolean;
  /** Whether the upstream reads every text that looks like a number or a boolean as such. */
  readonly isLoose?: boolean;
  /** The template of the last path segment: `{x}...{y}`. */
  readonly segment?: string;
  /** Whether the upstream decodes percent-encoded headers and cookies, with or without a charset. */
  readonly hasPercents?: boolean;
  /** Whether the upstream reads a comma-separated string as a list. */
  readonly hasCommas?: boolean;
}

/**
 * Returns a string that represents the request as an upstream reads it. Requests that the upstream cannot
 * distinguish have equal strings.
 */
export async function readRequest(request: RestRequest, reading: Reading): Promise<string> {
  const { verb, path, queryString, headers, oauth1Params, body } = request;
  const url = new URL(`http://upstream.test${path}?${queryString}`);
  if (url.pathname !== path) throw new Error(`${path} is read as ${url.pathname}`);
  const read = [
    verb,
    reading.segment === undefined
      ? path.split("/").map(decodeURIComponent)
      : segmentValues(path.slice(path.lastIndexOf("/") + 1), reading.segment),
    parameters(queryString, reading),
    [...new Headers(headers as Array<[string, string]>)].map(([name, value]) => [
      name,
      headerItems(value, reading),
    ]),
    oauth1Params,
    body === undefined ? "none" : await readBody(body, reading),
  ];
  return JSON.stringify(read, (_key, value: unknown) => {
    return reading.isLoose && typeof value === "string" ? loose(value) : value;
  });
}

function loose(text: string): string {
  if (/^\s*(?:true|false)\s*$/i.test(text)) return text.trim().toLowerCase();
  if (text.trim() === "" || Number.isNaN(Number(text))) return text;
  if (Object.is(Number(text), -0)) return "-0";
  return String(/^\s*-?\d+\s*$/.test(text) ? BigInt(text) : Number(text));
}

/**
 * Reads the values of a segment in the four ways of routers: decoding it before or after splitting it, and
 * splitting it at the first or at the last occurrence of each text.
 */
function segmentValues(segment: string, template: string): readonly string[] {
  const texts = template.split(/\{\w\}/);
  const readings = ["(.*)", "(.*?)"].flatMap((variable) => [
    valuesIn(decodeURIComponent(segment), texts.map(decodeURIComponent), variable),
    valuesIn(segment, texts, variable).map(decodeURIComponent),
  ]);
  const [first = [], ...others] = readings;
  if (others.every((other) => JSON.stringify(other) === JSON.stringify(first))) return first;
  throw new Error(`${segment} is read as ${JSON.stringify(readings)}`);
}

function valuesIn(text: string, texts: readonly string[], variable: string): readonly string[] {
  const pattern = texts.map((each) => each.replace(/[^\w%]/g, "\\$&")).join(variable);
  const [, ...values] = new RegExp(`^${pattern}$`, "s").exec(text) ?? [];
  return values;
}

async function readBody(body: RestBody, reading: Reading): Promise<unknown> {
  switch (body.kind) {
    case "json":
      return commaItems(readJson(stringifyJson(body.value)), reading);
    case "form":
      return parameters(body.text, reading);
    case "bytes":
      return [body.contentType, Buffer.from(body.bytes).toString("hex")];
    case "multipart": {
      const type = { "content-type": multipartType("boundary") };
      // undici reads a part without a file name as text.
      const text = encodeMultipart(body.parts, "boundary").toString("latin1");
      const files = text.replace(/(; name="[^"]*")(\r\ncontent-type: )/g, '$1; filename="none"$2');
      const bytes = new Uint8Array(Buffer.from(files, "latin1"));
      const form = await new Response(bytes, { headers: type }).formData();
      return named(await Promise.all([...form].map(readPart)), reading);
    }
  }
}

async function readPart([name, value]: readonly [string, File | string]): Promise<[string, unknown]> {
  if (typeof value === "string") return [name, value];
  if (name === "json" && value.type === "application/json") return [name, readJson(await value.text())];
  return [
    name,
    { name: value.name, type: value.type, hex: Buffer.from(await value.arrayBuffer()).toString("hex") },
  ];
}

function parameters(text: string, reading: Reading): unknown {
  if (!reading.isRaw) return named([...new URLSearchParams(text)], reading);
  const pairs = text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => pair.split("=").map(percentDecoded));
  return named(
    pairs.map(([name = "", value = ""]) => [name, value] as const),
    reading,
  );
}

/** Decodes percent encoding to one character per byte. */
function percentDecoded(text: string): string {
  const bytes = Buffer.from(text).toString("latin1");
  return bytes.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function named(pairs: ReadonlyArray<readonly [string, unknown]>, reading: Reading): unknown {
  if (reading.isNested) return dumped(brackets(pairs));
  return pairs.map(([name, value]) => [name, commaItems(value, reading)]);
}

function commaItems(value: unknown, { hasCommas }: Reading): unknown {
  if (!hasCommas) return value;
  if (typeof value === "string") return value === "" ? [] : value.split(",");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value).map(([key, item]) => [key, commaItems(item, { hasCommas })]);
}

function headerItems(value: string, { hasPercents, ...reading }: Reading): unknown {
  if (!hasPercents) return splitItems(value, reading);
  const read = (item: string) =>
    (reading.isRaw ? percentDecoded : decodeURIComponent)(item.replace(/^UTF-8''/, ""));
  const items = splitItems(value, reading);
  return Array.isArray(items) ? items.map((item) => read(String(item))) : read(value);
}

function splitItems(value: string, { hasCommas }: Reading): unknown {
  // RFC 9110 section 5.6.1: empty items, and spaces around items, are ignored.
  return hasCommas
    ? value
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    : value;
}

/** Parses JSON without loss: objects become lists of entries sorted by key, and numbers keep their text. */
function readJson(text: string): unknown {
  const exactly = (_key: string, value: unknown, { source }: { source?: string }): unknown => {
    if (typeof value === "number") return { number: source };
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return { object: Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)) };
  };
  return JSON.parse(text, exactly as (key: string, value: unknown) => unknown);
}

/** A value under a name: a string, an object, or a map or list by keys. */
type Node = string | object | Map<string, Node>;

/**
 * Parses bracketed parameters as PHP and Rack do. As in PHP, a bracketed key is an object key, and a list is
 * an object with the keys 0, 1, 2. As in Rack, empty brackets add to a list, and a repeated key starts the
 * next item.
 */
function brackets(pairs: ReadonlyArray<readonly [string, unknown]>): Map<string, Node> {
  const root = new Map<string, Node>();
  for (const [name, value] of pairs) {
    const [first = "", ...keys] = name
      .split("[")
      .map((step, index) => (index === 0 ? step : step.replace(/\]$/, "")));
    put(root, [`:${first}`, ...keys], value as Node);
  }
  return root;
}

function put(holder: Map<string, Node>, [step = "", ...below]: readonly string[], value: Node): void {
  const last = holder.size - 1;
  const key = step !== "" ? step : String(startsItem(holder.get(String(last)), below) ? holder.size : last);
  if (below.length === 0) {
    const other = holder.get(key);
    holder.set(key, other === undefined ? value : { both: [dumped(other), value] });
    return;
  }
  const inner = holder.get(key);
  const made = inner instanceof Map ? inner : new Map<string, Node>();
  if (inner !== undefined && inner !== made) made.set("and", inner);
  holder.set(key, made);
  put(made, below, value);
}

function startsItem(item: Node | undefined, below: readonly string[]): boolean {
  if (below.length === 0 || !(item instanceof Map)) return true;
  if (below.includes("")) return false;
  let at: Node | undefined = item;
  for (const step of below) at = at instanceof Map ? at.get(step) : undefined;
  return at !== undefined;
}

function dumped(node: Node): unknown {
  if (!(node instanceof Map)) return node;
  return [...node]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => [key, dumped(value)]);
}
