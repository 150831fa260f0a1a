import type { IncomingMessage } from "node:http";
import { isObject, readJson } from "../json.ts";
import { decodePairs, Fields } from "./fields.ts";
import { type Part, readMultipart } from "./multipart.ts";
import { refuse } from "./response.ts";

/** A request's body, read once, in whichever of the three encodings it came. */
export interface Body {
  encoding: "none" | "json" | "form" | "multipart";
  fields: Fields;
  /** The decoded pairs of a form body: they take part in an OAuth 1.0a signature. */
  formPairs: [string, string][];
  /** Text parts of a multipart body; some clients sign them. */
  partPairs: [string, string][];
  parts: Part[];
}

/** The most bytes of a JSON or form body: base64 of a 10 MB file, form-encoded, fits. */
const BODY_LIMIT = 20 * 1024 * 1024;

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  if (size > BODY_LIMIT) throw refuse(413, "Body is too large");
  return Buffer.concat(chunks).toString("utf8");
}

function jsonFields(source: string): Fields {
  let value: unknown;
  try {
    value = readJson(source);
  } catch {
    throw refuse(400, "Malformed JSON", 8001);
  }
  if (!isObject(value)) throw refuse(400, "The JSON body is not an object", 8001);
  return Fields.fromJson(value);
}

/**
 * Reads the body by its `Content-Type`. A multipart body with a part named `json` has its parameters there; other
 * text parts are parameters themselves. An empty body without a type is valid.
 */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const body: Body = { encoding: "none", fields: new Fields([]), formPairs: [], partPairs: [], parts: [] };
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "multipart/form-data") {
    body.encoding = "multipart";
    body.parts = await readMultipart(request);
    const json = body.parts.find((part) => part.name === "json");
    for (const part of body.parts) if (part.text !== undefined) body.partPairs.push([part.name, part.text]);
    const plain = new Fields(body.partPairs.filter(([name]) => name !== "json"));
    body.fields = json ? jsonFields(json.text ?? "").over(plain) : plain;
    return body;
  }
  const source = await readAll(request);
  if (source === "") return body;
  if (type === "application/json" || type.endsWith("+json")) {
    body.encoding = "json";
    body.fields = jsonFields(source);
  } else if (type === "application/x-www-form-urlencoded" || type === "") {
    body.encoding = "form";
    body.formPairs = type === "" ? [] : decodePairs(source);
    body.fields = new Fields(decodePairs(source));
  } else {
    throw refuse(415, `Unsupported Content-Type: ${type}`);
  }
  return body;
}
