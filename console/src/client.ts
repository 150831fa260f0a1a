import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { formatJson, isObject, parseJson } from "./json.ts";
import { type Header, type Request, RpcError } from "./rpc.ts";
import { session } from "./session.ts";

/** A message, or headers or trailers, of a response. */
export type Part =
  | { readonly kind: "message"; readonly json: JsonValue; readonly bytes: number }
  | { readonly kind: "header" | "trailer"; readonly headers: readonly Header[] };

/** The flag of the last envelope of a stream, which has the error and the trailers. */
const END_STREAM = 2;

const HEAD_BYTES = 5;

const CHALLENGE = "www-authenticate";

/**
 * Calls a unary or server-streaming method, and yields the parts of the response as they arrive.
 *
 * @throws RpcError
 */
export async function* parts(
  path: string,
  isStream: boolean,
  { message, headers, timeoutMs }: Request,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const text = formatJson(message);
  const own: Header[] = [
    ...headers,
    ["content-type", isStream ? "application/connect+json" : "application/json"],
    ["connect-protocol-version", "1"],
  ];
  if (timeoutMs !== undefined) own.push(["connect-timeout-ms", String(Math.ceil(timeoutMs))]);
  const response = await session.fetch(`/${path}`, {
    method: "POST",
    headers: own.map(([name, value]): [string, string] => [name, value]),
    body: isStream ? envelope(text) : text,
    signal,
  });
  const all = [...response.headers].filter(([name]) => isStream || !name.startsWith("trailer-"));
  yield { kind: "header", headers: all };
  if (isStream && response.ok) {
    yield* streamed(response);
    return;
  }
  const body = await response.text();
  if (!response.ok) throw errorIn(body, `status ${response.status}`, response.headers.get(CHALLENGE));
  yield { kind: "message", json: parseJson(body), bytes: new TextEncoder().encode(body).length };
  const trailers = [...response.headers].filter(([name]) => name.startsWith("trailer-"));
  yield { kind: "trailer", headers: trailers.map(([name, value]) => [name.slice("trailer-".length), value]) };
}

async function* streamed(response: Response): AsyncGenerator<Part> {
  for await (const { flags, bytes } of envelopes(response)) {
    const text = new TextDecoder().decode(bytes);
    if ((flags & END_STREAM) === 0) {
      yield { kind: "message", json: parseJson(text), bytes: bytes.length };
      continue;
    }
    const end = parseJson(text);
    if (!isObject(end)) throw new RpcError("unknown", "the end of the stream is malformed");
    const trailer = metadataOf(end.metadata);
    yield { kind: "trailer", headers: trailer };
    const [, challenge] = trailer.find(([name]) => name.toLowerCase() === CHALLENGE) ?? [];
    if (isObject(end.error)) throw errorOf(end.error, challenge);
    return;
  }
  throw new RpcError("unknown", "the stream ended without its last envelope");
}

async function* envelopes(response: Response): AsyncGenerator<{ flags: number; bytes: Uint8Array }> {
  const reader = response.body?.getReader();
  let rest = new Uint8Array();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
    while (rest.length >= HEAD_BYTES) {
      const view = new DataView(rest.buffer, rest.byteOffset);
      const end = HEAD_BYTES + view.getUint32(1);
      if (rest.length < end) break;
      yield { flags: view.getUint8(0), bytes: rest.subarray(HEAD_BYTES, end) };
      rest = rest.subarray(end);
    }
  }
}

function envelope(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const all = new Uint8Array(HEAD_BYTES + bytes.length);
  new DataView(all.buffer).setUint32(1, bytes.length);
  all.set(bytes, HEAD_BYTES);
  return all;
}

/** @param otherwise the message for a body that is not an error of the protocol */
export function errorIn(body: string, otherwise: string, challenge: string | null): RpcError {
  try {
    const json = parseJson(body);
    if (isObject(json) && typeof json.code === "string") return errorOf(json, challenge ?? undefined);
  } catch {
    // not JSON, e.g. the text of a proxy
  }
  return new RpcError(
    "unknown",
    body.trim() === "" ? otherwise : `${otherwise}: ${body.trim().slice(0, 500)}`,
  );
}

function errorOf({ code, message, details }: JsonObject, challenge: string | undefined): RpcError {
  const known = Array.isArray(details) ? details.filter(isObject) : [];
  const wire = known.map(({ type, value }) => ({ type: String(type), value: String(value ?? "") }));
  return new RpcError(String(code), typeof message === "string" ? message : "", wire, challenge);
}

function metadataOf(metadata: JsonValue | undefined): Header[] {
  if (!isObject(metadata)) return [];
  return Object.entries(metadata).flatMap(([name, values]) =>
    Array.isArray(values) ? values.map((value): Header => [name, String(value)]) : [],
  );
}
