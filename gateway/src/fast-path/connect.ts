import type { DescMethod } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Compression } from "@connectrpc/connect/protocol";
import type { HttpRequest } from "../listener/http.ts";
import { Gathered } from "../protocol/chunk-buffer.ts";
import type { Codec, Head } from "./head.ts";
import { checkReadBytes } from "./message-limits.ts";
import { negotiate } from "./negotiate.ts";
import type { Intake, Intaken } from "./wire.ts";

const codecs: ReadonlyMap<string, Codec> = new Map([
  ["application/proto", "proto"],
  ["application/json", "json"],
  ["application/json; charset=utf-8", "json"],
  ["application/json;charset=utf-8", "json"],
]);

/**
 * Reads the head of a unary POST (https://connectrpc.com/docs/protocol, Unary-Request). Undefined for one that has
 * something else in it than usual.
 */
export function postHead({ headers }: HttpRequest, compressions: readonly Compression[]): Head | undefined {
  const codec = codecs.get(headers["content-type"] ?? "");
  if (codec === undefined) return undefined;
  const chosen = negotiate(compressions, headers["content-encoding"], textOf(headers["accept-encoding"]));
  return chosen && { codec, ...chosen };
}

/**
 * Reads the head of a unary GET (https://connectrpc.com/docs/protocol, Unary-Get-Request), which is for methods without
 * side effects. Undefined for one that has something else in it than usual.
 */
export function getHead(
  { headers, url }: HttpRequest,
  method: DescMethod,
  compressions: readonly Compression[],
): Head | undefined {
  const query = url?.split("?", 2)[1];
  if (method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return undefined;
  // nobody sends a fragment; an address would lose it
  if (query === undefined || query.includes("#") || headers["content-type"] !== undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const codec = parameters.get("encoding");
  if (codec !== "proto" && codec !== "json") return undefined;
  const used = parameters.get("compression") ?? undefined;
  const chosen = negotiate(compressions, used, textOf(headers["accept-encoding"]));
  return chosen && { codec, ...chosen, message: messageOf(parameters) };
}

/** Base64 that is none has been refused before. */
function messageOf(parameters: URLSearchParams): Uint8Array {
  const text = parameters.get("message") ?? "";
  return parameters.get("base64") === "1" ? base64Decode(text) : new TextEncoder().encode(text);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Takes a body that is one message. */
export function intake({ headers }: HttpRequest, maxBytes: number): Intake {
  checkReadBytes(Number.parseInt(headers["content-length"] ?? "0", 10) || 0, maxBytes, true);
  return new MessageIntake(maxBytes, headers["content-encoding"]);
}

class MessageIntake implements Intake {
  readonly #maxBytes: number;
  readonly #isCompressed: boolean;
  readonly #body = new Gathered();

  constructor(maxBytes: number, encoding: string | undefined) {
    this.#maxBytes = maxBytes;
    this.#isCompressed = encoding !== undefined && encoding !== "identity";
  }

  push(chunk: Uint8Array): boolean {
    checkReadBytes(this.#body.size + chunk.length, this.#maxBytes, false);
    this.#body.push(chunk);
    return false;
  }

  end(): Intaken {
    return { bytes: this.#body.bytes(), isCompressed: this.#isCompressed };
  }
}
