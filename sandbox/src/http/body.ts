import type { IncomingMessage } from "node:http";
import { isObject, readJson } from "../json.ts";
import { decodePairs, Fields } from "./fields.ts";
import { type Part, readMultipart } from "./multipart.ts";
import { reject } from "./response.ts";

/** The body of a request, in one of the three supported encodings. */
export interface Body {
  readonly encoding: "none" | "json" | "form" | "multipart";
  readonly fields: Fields;
  /** The decoded pairs of a form body, which an OAuth 1.0a signature covers. */
  readonly formPairs: [string, string][];
  /** The text parts of a multipart body, which some clients sign. */
  readonly partPairs: [string, string][];
  readonly parts: Part[];
}

/** The maximum size of a JSON or form body in bytes. A form with a 10 MB file in base64 fits. */
const BODY_LIMIT = 20 * 1024 * 1024;

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  if (size > BODY_LIMIT) throw reject(413, "Body is too large");
  return Buffer.concat(chunks).toString("utf8");
}

function jsonFields(source: string): Fields {
  let value: unknown;
  try {
    value = readJson(source);
  } catch {
    throw reject(400, "Malformed JSON", 8001);
  }
  if (!isObject(value)) throw reject(400, "The JSON body is not an object", 8001);
  return Fields.fromJson(value);
}

const NO_BODY: Body = { encoding: "none", fields: new Fields([]), formPairs: [], partPairs: [], parts: [] };

async function multipartBody(request: IncomingMessage): Promise<Body> {
  const parts = await readMultipart(request);
  const partPairs = parts.flatMap(({ name, text }): [string, string][] =>
    text === undefined ? [] : [[name, text]],
  );
  const plain = new Fields(partPairs.filter(([name]) => name !== "json"));
  const json = parts.find((part) => part.name === "json");
  const fields = json ? jsonFields(json.text ?? "").over(plain) : plain;
  return { ...NO_BODY, encoding: "multipart", fields, partPairs, parts };
}

/**
 * Reads the body by its `Content-Type`. The parameters of a multipart body are in a part named `json`, and in
 * the other text parts. An empty body needs no `Content-Type`.
 */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "multipart/form-data") return multipartBody(request);
  const source = await readAll(request);
  if (source === "") return NO_BODY;
  if (type === "application/json" || type.endsWith("+json")) {
    return { ...NO_BODY, encoding: "json", fields: jsonFields(source) };
  }
  if (type !== "application/x-www-form-urlencoded" && type !== "") {
    throw reject(415, `Unsupported Content-Type: ${type}`);
  }
  const pairs = decodePairs(source);
  return { ...NO_BODY, encoding: "form", formPairs: type === "" ? [] : pairs, fields: new Fields(pairs) };
}
