/** Writes response messages by the rules of adapters. */
import {
  firstOf,
  fromText,
  hasBrokenLinks,
  isScalarKind,
  type Kind,
  linkTarget,
  type ProtoWriter,
  type ReadField,
  valueAt,
  valueWriter,
  writePayload,
} from "connect-rest-codec/internal";
import type { HeadEntry, HeadSource, ResponseParts } from "../adapter/response-parts.ts";
import type { RestResponse } from "../adapter/rest-response.ts";

/** Writes a response message. */
export function writeMessage({ body, head, response }: ResponseParts, from: RestResponse, out: ProtoWriter) {
  if (response !== undefined) {
    response(from, out);
  } else if (body !== undefined) {
    writePayload(out, from.payload, body);
    if (Array.isArray(body) && isBytes(body[1])) out.rawBytes(body[0], from.bytes);
  }
  if (head !== undefined) writeHead(head, from, out);
}

type Write = (response: RestResponse, out: ProtoWriter) => void;

const WRITERS = new WeakMap<readonly HeadEntry[], readonly Write[]>();

/** Writes the fields of a message that do not come from the body. */
export function writeHead(head: readonly HeadEntry[], response: RestResponse, out: ProtoWriter): void {
  let writers = WRITERS.get(head);
  if (writers === undefined) {
    writers = head.map(headWriter);
    WRITERS.set(head, writers);
  }
  for (const write of writers) write(response, out);
}

function headWriter([number, kind, ...sources]: HeadEntry): Write {
  const read = firstOf(sources.map((source) => sourceReader(source, kind)));
  const name = sources.map(nameOf).join(" or ");
  const write = valueWriter(kind, number);
  const links = sources.find((source) => typeof source === "object" && "header" in source && source.rel);
  if (links === undefined) return (response, out) => write(read(response, out.misstep), out, name);
  return (response, out) => {
    const value = read(response, out.misstep);
    const header = response.header(name.toLowerCase());
    if (value === undefined && hasBrokenLinks(header)) out.drop(name, "links in <>", header);
    write(value, out, name);
  };
}

/** Returns the name of a source, for reports of differences. */
function nameOf(source: HeadSource): string {
  if (source === "status" || "status" in source) return "status";
  return "header" in source ? source.header : source.path;
}

function sourceReader(source: HeadSource, kind: Kind): ReadField<RestResponse> {
  if (source === "status") return ({ status }) => status;
  if ("status" in source) return ({ status }) => status === source.status;
  if ("path" in source) return ({ payload }, found) => valueAt(payload, source.path, found);
  const header = source.header.toLowerCase();
  const { rel } = source;
  if (rel !== undefined) return (response) => linkTarget(response.header(header), rel);
  // every header value is a string
  const isText = !isScalarKind(kind) || kind === "string" || isBytes(kind);
  return isText ? (response) => response.header(header) : (response) => fromText(response.header(header));
}

function isBytes(kind: Kind): boolean {
  return kind === "bytes" || kind === "textBytes";
}
